import type { INodeExecutionData } from 'n8n-workflow';

import { storeFile, useBinaryMode } from '../../../../n8n-core/runNode';
import { scan } from '../../../../pdf/corpus';
import { collectGarbage } from '../../../collectGarbage';
import { useJobs } from '../../../service';

const { service, run, job } = useJobs();

const MB = 1_000_000;
const PAGES = 95;

beforeAll(async () => await useBinaryMode('filesystem'));

/** Processor time in milliseconds, which other programs on a busy machine do not add to. */
function spent(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/** How much the process grows in megabytes, and the longest in which nothing else runs, in milliseconds. */
async function costOf(work: () => Promise<unknown>) {
	// What has just ended is released a moment later.
	for (let round = 0; round < 5; round++) {
		collectGarbage();
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	const before = process.memoryUsage();
	let [growth, last, longest] = [0, spent(), 0];
	const look = () => {
		const { rss, arrayBuffers } = process.memoryUsage();
		growth = Math.max(growth, rss - before.rss, arrayBuffers - before.arrayBuffers);
		longest = Math.max(longest, spent() - last);
		last = spent();
	};
	const timer = setInterval(look, 1);
	await work();
	look();
	clearInterval(timer);
	return { growth: growth / MB, longest };
}

test('a marked copy of 95 MB of scans takes no more memory than cutting the file, and blocks n8n briefly', async () => {
	const data = await storeFile(scan(PAGES, MB), 'scan.pdf', 'application/pdf');
	const item = (): INodeExecutionData => ({ json: {}, binary: { data } });
	const cut = async () => {
		const segments = Array.from({ length: PAGES / 5 }, (_, at) => ({
			...{ documentType: 'letter', startPage: 5 * at + 1, endPage: 5 * at + 5 },
		}));
		await service.standIn.queueFaults([{ kind: 'answer', data: { segments } }]);
		const { items } = await run({ operation: 'split', output: 'documents' }, [item()]);
		expect(items.filter(({ binary }) => binary !== undefined)).toHaveLength(PAGES / 5);
	};
	const fields = Object.fromEntries(
		Array.from({ length: PAGES }, (_, at) => [
			`field${at}`,
			{ value: 'x', confidence: 40, page: at + 1, bbox: [0.1, 0.1, 0.3, 0.12] },
		]),
	);
	const copy = async () => {
		const [jobId] = await service.standIn.addJobs(service.credential.apiKey, [
			{ operation: 'Extraction', result: { Metadata: { fields } } },
		]);
		const { items } = await job('getResult', [item()], {
			jobId,
			options: { confidenceThreshold: 80, markedCopy: true },
		});
		expect(items[0]?.binary?.marked?.bytes).toBeGreaterThan(PAGES * MB);
	};
	// What the first ones load stays.
	await cut();
	await copy();
	const [ofCut, ofCopy] = [await costOf(cut), await costOf(copy)];
	// A second copy of the file would be 95 MB.
	expect(ofCopy.growth).toBeLessThan(ofCut.growth + 30);
	expect(ofCopy.longest).toBeLessThan(250);
});
