import { setTimeout as wait } from 'node:timers/promises';

import { sendRequest, type Requester } from '../../../../nodes/DocumentIntelligence/service/client';
import type { Fault } from '../../../stand-in/startStandIn';
import { until } from '../../clock';
import { startScriptedServer } from '../../scriptedServer';
import { goOn, thrownBy, useService } from '../../service';
import { itemsWith, itemWith, MB } from '../../samples';
import { simulatedSession } from './simulatedSession';

// That the bytes of a request are those of an independent client is in run/uploadedBytes.test.ts.

const service = useService();

test('a response that does not end is read up to 32 MB, and treated as empty', async () => {
	let megabytes = 0;
	async function* body() {
		while (++megabytes < 64) yield await Promise.resolve(Buffer.alloc(MB));
	}
	const httpRequestWithAuthentication = async () =>
		await Promise.resolve({ statusCode: 200, headers: {}, body: body() });
	const requester = { helpers: { httpRequestWithAuthentication } } as unknown as Requester;
	const { account, signal } = simulatedSession(() => ({})).session;
	const list = { method: 'GET', path: '/', subject: 'a list', processes: 'nothing' } as const;
	const response = await sendRequest(requester, account, { ...list, timeoutSeconds: 60 }, signal);
	expect(response).toMatchObject({ status: 200, body: Buffer.alloc(0) });
	expect(megabytes).toBe(33);
});

test.each([302, 308])('a redirect (%i) leads the key and the document nowhere', async (status) => {
	const elsewhere = await startScriptedServer();
	const location = `${elsewhere.url}/stolen`;
	await service.standIn.queueFaults([{ kind: 'redirect', status, location }]);
	await service.run({ operation: 'extract' }, [await itemWith('invoice-us.pdf')], goOn);
	elsewhere.close();
	expect(elsewhere.received).toEqual([]);
	expect(await service.calls()).toHaveLength(1);
});

test.each<[string, Fault]>([
	['while the service works', { kind: 'hang' }],
	['while the answer arrives', { kind: 'slowBody', everyMs: 200 }],
])(
	'stopped by the user %s, the run ends soon; the request, whose result is kept, by its Timeout',
	async (_, fault) => {
		await service.standIn.queueFaults([fault]);
		const cancel = new AbortController();
		const items = await itemsWith('invoice-us.pdf', 'contract.pdf');
		const parameters = { operation: 'crop', options: { timeout: 3 } };
		const stopped = thrownBy(service.run(parameters, items, { signal: cancel.signal, ...goOn }));
		await until(async () => (await service.calls()).some((call) => call.fault === fault.kind));
		// For the first bytes of the answer.
		await wait(300);
		cancel.abort();
		await stopped;
		const haveEnded = async () => (await service.calls()).every(({ endedAt }) => endedAt !== null);
		expect(await haveEnded()).toBe(false);
		await until(haveEnded);
		const calls = await service.calls();
		expect(calls.some(({ aborted }) => aborted)).toBe(true);
		expect(calls.length).toBeLessThanOrEqual(2);
	},
);
