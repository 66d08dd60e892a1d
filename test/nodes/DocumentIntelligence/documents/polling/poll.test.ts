import { PolledNode } from '../../../../n8n-core/polledNode';
import type { OtherJob } from '../../../../stand-in/startStandIn';
import { samplePath } from '../../../../stand-in/useStandIn';
import { fastLimiters, fastWindowMs } from '../../../fastLimiters';
import { useService } from '../../../service';

const SPEED = 20;

const service = useService({ windowMs: fastWindowMs(SPEED) });

const INVOICE: OtherJob = { operation: 'Extraction', file: samplePath('invoice-us.pdf') };

const polled = (more: Partial<ConstructorParameters<typeof PolledNode>[0]> = {}) =>
	new PolledNode({ credential: service.credential, limiters: fastLimiters(SPEED), ...more });

const finish = async (...jobs: OtherJob[]) =>
	await service.standIn.addJobs(service.credential.apiKey, jobs);

const steps = async () => (await service.calls()).map(({ step }) => step);

test('a job that finishes starts the workflow once, with one request per poll where nothing is new', async () => {
	const n8n = polled();
	await finish(INVOICE);
	await n8n.activate();
	expect(await n8n.tick()).toBe(0);
	expect(await steps()).toEqual(['list', 'list']);
	const [jobId] = await finish(INVOICE);
	expect(await n8n.tick()).toBe(1);
	expect(await n8n.tick()).toBe(0);
	expect(n8n.jobIds).toEqual([jobId]);
	expect(await steps()).toEqual(['list', 'list', 'list', 'fetch', 'list']);
});
