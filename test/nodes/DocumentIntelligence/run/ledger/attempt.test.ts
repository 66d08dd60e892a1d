import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useStoredHistory } from '../../../../n8n-core/history';
import { storeFile, useBinaryMode, type NodeRun } from '../../../../n8n-core/runNode';
import { itemWith, numberedInvoice, sampleBytes } from '../../../samples';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { failureOf, thrownBy, useService } from '../../../service';

// With Retry On Fail, n8n runs a node again, with the same items, if it throws or, with On Error set to Continue, if
// the first item of its output is a failed one, and discards what the attempt returned.

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

let files: ScriptedServer | undefined;

afterEach(() => files?.close());

/** Of all attempts of a test. */
let executionId: string;

beforeEach(() => {
	executionId = randomUUID();
});

const RETRIED: Partial<NodeRun> = {
	node: { retryOnFail: true, maxTries: 3 },
	onError: 'continueErrorOutput',
};

/** The same picture, but no copy: each file has its name behind its end. */
async function photoItem(name: string): Promise<INodeExecutionData> {
	const content = Buffer.concat([sampleBytes('two-cards.jpg'), Buffer.from(name)]);
	return { json: {}, binary: { data: await storeFile(content, name, 'image/jpeg') } };
}

async function invoices(): Promise<INodeExecutionData[]> {
	return await Promise.all(
		['0.pdf', '1.pdf', '2.pdf'].map(async (name) => ({
			json: {},
			binary: { data: await storeFile(numberedInvoice(name), name, 'application/pdf') },
		})),
	);
}

const attempt = async (
	items: INodeExecutionData[],
	parameters: IDataObject = {},
	more: Partial<NodeRun> = RETRIED,
) => await service.run({ operation: 'extract', ...parameters }, items, { executionId, ...more });

const sentNames = async () => (await service.files()).map(({ fileName }) => fileName).sort();

const rejectFirst = async (times = 1) =>
	await service.standIn.queueFaults([
		{ kind: 'envelopeError', status: 422, match: '0.pdf', times },
	]);

test('Another attempt sends only what failed, and returns everything', async () => {
	const items = await invoices();
	await rejectFirst(2);
	const first = await attempt(items);
	expect(failureOf(first.items[0]).message).toContain('"0.pdf"');
	const second = await attempt(items);
	expect(second.items.slice(1)).toEqual(first.items.slice(1));
	const third = await attempt(items);
	expect(third.items.map(({ json, pairedItem }) => [json.fileName, pairedItem])).toEqual(
		['0.pdf', '1.pdf', '2.pdf'].map((name, item) => [name, { item }]),
	);
	expect(third.items.slice(1)).toEqual(first.items.slice(1));
	expect(await sentNames()).toEqual(['0.pdf', '0.pdf', '0.pdf', '1.pdf', '2.pdf']);
	expect(third.credits).toEqual(['Cogneris reported 3 credits for this run.']);
});

test('Another attempt with Execute Once has another list of the same item', async () => {
	const [item] = await invoices();
	await service.standIn.queueFaults([{ kind: 'reset' }]);
	const first = await attempt(item ? [item] : []);
	expect(failureOf(first.items[0]).description).toMatch(/billed/);
	expect((await attempt(item ? [item] : [])).items).toEqual(first.items);
	expect(await sentNames()).toHaveLength(1);
});

test('An image whose response was lost is not sent again', async () => {
	const items = await Promise.all(['a.jpg', 'b.jpg'].map(photoItem));
	await service.standIn.queueFaults([{ kind: 'reset' }]);
	const options = { concurrency: 1 };
	const first = await attempt(items, { operation: 'crop', options });
	expect(failureOf(first.items[0]).description).toMatch(/billed/);
	const second = await attempt(items, { operation: 'crop', options });
	const comparable = ({ items: output }: typeof first) =>
		output.map(({ json, pairedItem }) => ({ json, pairedItem }));
	expect(comparable(second)).toEqual(comparable(first));
	expect(await sentNames()).toHaveLength(2);
});

test('Another attempt after a run that stopped sends no image again that Crop has answered', async () => {
	const items = await Promise.all(['a.jpg', 'b.jpg'].map(photoItem));
	await service.standIn.queueFaults([null, { kind: 'envelopeError', status: 422, times: 2 }]);
	const crop = async () =>
		await attempt(
			items,
			{ operation: 'crop', options: { concurrency: 1 } },
			{ node: { retryOnFail: true } },
		);
	await thrownBy(crop());
	await thrownBy(crop());
	const { items: output } = await crop();
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 0, 1, 1].map((item) => ({ item })),
	);
	expect(await sentNames()).toHaveLength(4);
});

test.each([
	['a response was lost', { kind: 'reset' as const }, /lost/],
	['Cogneris could not read a document', { kind: 'qualityBlock' as const }, /quality/],
])(
	'Another attempt after a run that stopped because %s sends nothing',
	async (_, fault, message) => {
		const [first, ...others] = await invoices();
		await service.standIn.queueFaults([fault]);
		const run = async () =>
			await thrownBy(attempt([first!, ...others], {}, { node: { retryOnFail: true } }));
		const before = await run();
		expect(before.message).toMatch(message);
		expect(before.description).toMatch(/2 results .* are kept in the memory/);
		const sent = await sentNames();
		// n8n shows what the last attempt says.
		expect(await run()).toMatchObject({
			message: before.message,
			description: before.description,
		});
		expect(await sentNames()).toEqual(sent);
	},
);

test('A connection that ends in the middle of an upload: what is said to be billed is not sent again', async () => {
	let connections = 0;
	const server = createServer((socket) => {
		connections += 1;
		let bytes = 0;
		socket.on('error', () => undefined);
		socket.on('data', (chunk) => {
			bytes += chunk.length;
			if (bytes > 1_000_000) socket.resetAndDestroy();
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const address = { region: 'custom', baseUrl: `http://127.0.0.1:${port}` };
	const credential = { ...service.credential, ...address };
	const content = Buffer.concat([numberedInvoice('large'), Buffer.alloc(9_000_000)]);
	const data = await storeFile(content, 'large.pdf', 'application/pdf');
	const run = async () =>
		await thrownBy(
			attempt([{ json: {}, binary: { data } }], {}, { node: RETRIED.node, credential }),
		);
	try {
		const { message, description } = await run();
		expect(description).toContain('may already be billed');
		expect(await run()).toMatchObject({ message, description });
		expect(connections).toBe(1);
	} finally {
		server.close();
	}
});

test('Another attempt with Skip returns the results that the first one remembered', async () => {
	await useStoredHistory();
	const items = await invoices();
	const options = { processedBefore: 'skip' };
	await rejectFirst();
	await attempt(items, { options });
	const { items: output } = await attempt(items, { options });
	expect(output.map(({ json }) => json.fileName)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
	expect(await sentNames()).toEqual(['0.pdf', '0.pdf', '1.pdf', '2.pdf']);
});

test('A lost response is not sent again by any attempt, and its item stays, also with Skip', async () => {
	await useStoredHistory();
	const items = await invoices();
	await service.standIn.queueFaults([{ kind: 'reset', match: '0.pdf' }]);
	const options = { processedBefore: 'skip' };
	for (let count = 0; count < 3; count++) {
		const { items: output } = await attempt(items, { options });
		expect(failureOf(output[0]).message).toContain('"0.pdf"');
		expect(output.slice(1).map(({ json }) => json.fileName)).toEqual(['1.pdf', '2.pdf']);
	}
	expect(await sentNames()).toEqual(['0.pdf', '1.pdf', '2.pdf']);
});

const submissions = async () =>
	(await service.calls()).filter(({ step }) => step === 'submit').length;

test('The job of an earlier attempt is collected, not submitted again', async () => {
	const items = (await invoices()).slice(0, 1);
	await service.standIn.configure({ jobRunMs: 600_000 });
	const options = { processing: 'job', timeout: 1 };
	const first = await attempt(items, { options });
	expect(failureOf(first.items[0]).message).toContain('did not finish within');
	await service.standIn.advanceClock(700_000);
	const second = await attempt(items, { options });
	expect(second.items.map(({ json }) => json.documentType)).toEqual(['Invoice']);
	expect(await submissions()).toBe(1);
});

test('Another attempt after a run that stopped because of a job collects the jobs of the others, also of Crop', async () => {
	const items = await Promise.all(['slow.jpg', 'bad.jpg'].map(photoItem));
	const bad = { match: 'bad', failureCode: 'input_unreadable', runMs: 300 };
	await service.standIn.configure({
		imageLifetimeMs: 7_000_000,
		jobRules: [bad, { match: 'slow', runMs: 600_000 }],
	});
	const crop = async () =>
		await attempt(
			items,
			{ operation: 'crop', options: { processing: 'job' } },
			{ node: { retryOnFail: true } },
		);
	expect((await thrownBy(crop())).message).toContain('"bad.jpg"');
	await service.standIn.configure({ jobRules: [bad] });
	await service.standIn.advanceClock(700_000);
	// The job of the other one is collected, and only this one is submitted again.
	expect((await thrownBy(crop())).message).toContain('"bad.jpg"');
	await service.standIn.configure({ jobRules: [] });
	const { items: output } = await crop();
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 0, 1, 1].map((item) => ({ item })),
	);
	expect(await submissions()).toBe(4);
});

test('An answer that could not be passed on because the run stopped is passed on by the next attempt', async () => {
	files = await startScriptedServer();
	let isSlow = true;
	const imageUrl = files.serve('/card.png', (response) => {
		if (isSlow) return;
		response.setHeader('content-type', 'image/png');
		response.end(sampleBytes('id-card.png'));
	});
	const items = await Promise.all(['a.jpg', 'b.jpg'].map(photoItem));
	await service.standIn.queueFaults([
		{ kind: 'answer', match: 'a.jpg', data: { documents: [{ type: 'card', imageUrl }] } },
		{ kind: 'envelopeError', status: 422, match: 'b.jpg' },
	]);
	const crop = async () =>
		await attempt(items, { operation: 'crop' }, { node: { retryOnFail: true } });
	expect((await thrownBy(crop())).message).toContain('"b.jpg"');
	isSlow = false;
	const { items: output } = await crop();
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 1].map((item) => ({ item })));
	expect(await sentNames()).toEqual(['a.jpg', 'b.jpg', 'b.jpg']);
});

test('A job that an attempt did not come to is collected by the one after it', async () => {
	const [bad, slow] = await Promise.all(['bad.jpg', 'slow.jpg'].map(photoItem));
	const crop = async (binary = bad!.binary!) => {
		bad!.binary = binary;
		return await attempt(
			[bad!, slow!],
			{ operation: 'crop', options: { processing: 'job' } },
			{ node: { retryOnFail: true } },
		);
	};
	await service.standIn.configure({
		imageLifetimeMs: 7_000_000,
		jobRules: [
			{ match: 'bad', failureCode: 'input_unreadable', runMs: 300 },
			{ match: 'slow', runMs: 600_000 },
		],
	});
	await thrownBy(crop());
	const { binary = {} } = bad!;
	const lost = { data: { ...binary.data!, id: 'filesystem-v2:lost' } };
	expect((await thrownBy(crop(lost))).message).toContain('can no longer be read');
	await service.standIn.configure({ jobRules: [] });
	await service.standIn.advanceClock(700_000);
	const { items: output } = await crop(binary);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 0, 1, 1].map((item) => ({ item })),
	);
	expect(await submissions()).toBe(3);
});

test('Skip remembers what Crop answered in an attempt that stopped', async () => {
	await useStoredHistory();
	const items = await Promise.all(
		['two-cards.jpg', 'id-card.png'].map(async (name) => await itemWith(name)),
	);
	const crop = async (again: INodeExecutionData[]) =>
		await attempt(
			again,
			{ operation: 'crop', options: { concurrency: 1, processedBefore: 'skip' } },
			{ node: { retryOnFail: true } },
		);
	await service.standIn.queueFaults([
		{ kind: 'envelopeError', status: 422, match: 'id-card', times: 1 },
	]);
	await thrownBy(crop(items));
	await crop(items);
	const sent = await sentNames();
	executionId = randomUUID();
	const { items: output, hints } = await crop(items.map((item) => ({ ...item })));
	expect([output, await sentNames()]).toEqual([[], sent]);
	expect(JSON.stringify(hints)).toContain('already processed');
});

test('Skip lets another attempt collect the job of the first one', async () => {
	await useStoredHistory();
	const items = (await invoices()).slice(0, 1);
	await service.standIn.configure({ jobRunMs: 600_000 });
	const options = { processing: 'job', timeout: 1, processedBefore: 'skip' };
	await attempt(items, { options });
	await service.standIn.advanceClock(700_000);
	const second = await attempt(items, { options });
	expect(second.items.map(({ json }) => json.documentType)).toEqual(['Invoice']);
	executionId = randomUUID();
	const { items: output, hints } = await attempt(
		items.map((item) => ({ ...item })),
		{ options },
	);
	expect([output, await submissions()]).toEqual([[], 1]);
	expect(JSON.stringify(hints)).toContain('already processed');
});

test.each<[string, number, Partial<NodeRun>]>([
	['What was passed on is sent again by another execution', 6, { onError: 'continueErrorOutput' }],
	['What n8n discarded to repeat the run is not', 4, RETRIED],
])('%s', async (_, expected, more) => {
	const items = await invoices();
	await rejectFirst();
	await attempt(items, {}, more);
	executionId = randomUUID();
	await attempt(
		items.map((item) => ({ ...item })),
		{},
		more,
	);
	expect(await sentNames()).toHaveLength(expected);
});
