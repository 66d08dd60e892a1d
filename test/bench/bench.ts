import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

import { untilSecond } from '../e2e/clock';
import { copies } from '../e2e/copies';
import { createHost, type Host } from '../n8n/host';
import { packNode } from '../n8n/pack';
import type { Server } from '../n8n/server';
import { scan } from '../pdf/corpus';
import { startStandIn, type StandIn } from '../stand-in/startStandIn';
import { documentIntelligence, httpRequest, workflowOf, type Contender } from './contenders';
import { cutting } from './cutting';
import { cpuSeconds, growthDuring } from './process';
import { values } from './values';
import { workers } from './workers';

/** The service's window, in seconds, and what it grants in one. */
const WINDOW = 60;
const GRANTED = 50;

/** At which second of a minute the runs under the rate limit begin, so that all of them have the same windows before them. */
const BEGIN_AT = 20;

interface Setting {
	folder: string;
	standIn: StandIn;
	server: Server;
	extraction: string;
}

async function main(): Promise<void> {
	const parts = process.argv.slice(2).map((argument) => argument.split('='));
	const wanted = (part: string) => parts.length === 0 || parts.some(([name]) => name === part);
	/** `limit=24` tries a part with fewer documents. */
	const sizeOf = (part: string, usual: number) =>
		Number(parts.find(([name]) => name === part)?.[1] ?? usual);
	if (wanted('workers')) report('Many n8n processes, one key, simulated', await workers());
	if (wanted('values')) {
		const cells = sizeOf('values', 40_000);
		report(`Values: one document of ${cells} cells`, values(cells));
	}
	if (parts.length > 0 && parts.every(([name]) => ['workers', 'values'].includes(name ?? '')))
		return;
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	const standIn = await startStandIn();
	const packed = await packNode();
	const hosts: Host[] = [];
	const startServer = async (): Promise<Server> => {
		const host = await createHost({
			packageTarball: packed.tarball,
			files: [folder],
			binaryData: 'filesystem',
		});
		hosts.push(host);
		return await host.start();
	};
	try {
		const server = await startServer();
		const setting = { folder, standIn, server, extraction: `${standIn.url}/Document/extraction` };
		console.log(
			`\n${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version} beside n8n`,
		);
		if (wanted('overhead')) await overhead(setting);
		if (wanted('memory')) await memory(setting);
		if (wanted('pdf')) {
			const startOther = async () => {
				const other = await startServer();
				await prepare({ ...setting, server: other }, {});
				return other;
			};
			report('Split of scans, five pages each', await cutting(folder, standIn, startOther));
		}
		if (wanted('limit')) await rateLimit(setting, sizeOf('limit', 120));
		if (wanted('processes')) await twoProcesses(setting, await startServer());
	} finally {
		await Promise.all(hosts.map(async (host) => await host.stop()));
		await standIn.stop();
		await packed.remove();
		await rm(folder, { recursive: true, force: true });
	}
}

/** Requests, and time against what the limit permits for as many: documents of 3 seconds each, directly and as jobs. */
async function rateLimit(setting: Setting, count: number): Promise<void> {
	const files = await invoices(setting.folder, 'limit', count);
	const direct = { settings: { latencyMs: 3000 }, each: 1, lastTakes: 3 };
	const batching = { batchSize: GRANTED, batchInterval: WINDOW * 1000 };
	const ways = [
		{ contender: documentIntelligence('extract'), ...direct },
		{
			contender: documentIntelligence('extract', { processing: 'job' }, 'raw', ', As a Job'),
			settings: { latencyMs: 100, jobRunMs: 3000 },
			// The least that a job takes: store, submit, fetch.
			each: 3,
			lastTakes: 0,
		},
		{ contender: httpRequest('HTTP Request, default settings', setting.extraction), ...direct },
		{
			contender: httpRequest('HTTP Request, batching 50 per 60 s', setting.extraction, {
				batching: { batch: batching },
			}),
			...direct,
		},
	];
	const rows = [];
	for (const { contender, settings, each, lastTakes } of ways) {
		await prepare(setting, settings);
		await untilSecond(BEGIN_AT, BEGIN_AT + 1);
		const startedAt = Date.now();
		const { seconds, succeeded, inOrder } = await run(setting.server, contender, files);
		const permitted = permittedSeconds(count * each, startedAt, lastTakes);
		const requests = (await setting.standIn.requests()).filter(({ kind }) => kind === 'api');
		const looks = requests.filter(({ step }) => step === 'list' || step === 'get').length;
		rows.push({
			node: contender.name,
			completed: `${succeeded} of ${count}`,
			billed: (await setting.standIn.charges()).length,
			refused: requests.filter(({ refused }) => refused).length,
			'in order': inOrder,
			looks,
			'requests per document': (requests.length / count).toFixed(2),
			seconds: seconds.toFixed(1),
			'limit permits': permitted.toFixed(1),
			ratio: (seconds / permitted).toFixed(2),
		});
	}
	report(`Rate limit: ${count} documents, 3 s each, 50 requests a minute`, rows);
}

/** Wall clock and processor time for each of 1,000 small files, at a service that answers at once. */
async function overhead(setting: Setting): Promise<void> {
	const count = 1000;
	const files = await invoices(setting.folder, 'overhead', count);
	const batching = { batching: { batch: { batchSize: -1, batchInterval: 0 } } };
	const ways: Array<[Contender, concurrentRequests: number]> = [
		[documentIntelligence('extract'), 10],
		[documentIntelligence('extract', {}, 'raw', ', 50 concurrent'), 50],
		[httpRequest('HTTP Request', setting.extraction, batching), 10],
	];
	const rows = [];
	// The first round warms up n8n, the stand-in and the disk.
	for (const round of ['warm-up', 'measured']) {
		for (const [contender, concurrentRequests] of ways) {
			await prepare(setting, { requestsPerWindow: 1_000_000 }, 1_000_000, concurrentRequests);
			const cpuBefore = await cpuSeconds(setting.server.pid);
			const { seconds, succeeded } = await run(setting.server, contender, files);
			const cpu = (await cpuSeconds(setting.server.pid)) - cpuBefore;
			if (round === 'warm-up') continue;
			rows.push({
				node: contender.name,
				completed: `${succeeded} of ${count}`,
				'ms per document': ((seconds * 1000) / count).toFixed(2),
				'CPU ms per document, reading and storing included': ((cpu * 1000) / count).toFixed(2),
			});
		}
	}
	report('Overhead: 1,000 files, no latency, no limit', rows);
}

/** By how much n8n's process grows while one file of 490 MB is sent. */
async function memory(setting: Setting): Promise<void> {
	const megabytes = 490;
	const file = join(setting.folder, 'large.pdf');
	await writeFile(file, scan(1, megabytes * 2 ** 20));
	const contenders = [
		documentIntelligence('split', { includeInputFile: false }),
		httpRequest('HTTP Request', `${setting.standIn.url}/Document/split`),
	];
	const rows = [];
	for (const contender of contenders) {
		await prepare(setting, {});
		const { result, growthMb } = await growthDuring(
			setting.server.pid,
			async () => await run(setting.server, contender, file),
		);
		const [request] = await setting.standIn.requests();
		rows.push({
			node: contender.name,
			'status at the service': request?.status,
			'MB that arrived': Math.round((request?.receivedBytes ?? 0) / 2 ** 20),
			seconds: result.seconds.toFixed(1),
			'growth in MB': Math.round(growthMb),
		});
	}
	await rm(file);
	report(`Memory: one file of ${megabytes} MB through Split`, rows);
}

/** Two n8n processes that do not know of each other, with one key. */
async function twoProcesses(setting: Setting, other: Server): Promise<void> {
	const each = 150;
	const files = await invoices(setting.folder, 'processes', each);
	const apiKey = await prepare(setting, { latencyMs: 3000 });
	const fields = { apiKey, requestsPerMinute: GRANTED, concurrentRequests: 10 };
	await addCredential(other, setting.standIn, fields);
	await untilSecond(BEGIN_AT, BEGIN_AT + 1);
	const startedAt = Date.now();
	const runs = await Promise.all(
		[setting.server, other].map(
			async (server) => await run(server, documentIntelligence('extract'), files),
		),
	);
	const seconds = (Date.now() - startedAt) / 1000;
	const permitted = permittedSeconds(2 * each, startedAt, 3);
	const requests = (await setting.standIn.requests()).filter(({ kind }) => kind === 'api');
	const firstWindowEnds = (Math.floor(startedAt / (WINDOW * 1000)) + 1) * WINDOW * 1000;
	const later = requests.filter((request) => request.startedAt >= firstWindowEnds);
	const refusedLater = later.filter(({ refused }) => refused).length;
	report('Two n8n processes, one key, 300 documents', [
		{
			completed: `${runs.reduce((sum, { succeeded }) => sum + succeeded, 0)} of ${2 * each}`,
			'refused in the first window':
				requests.filter(({ refused }) => refused).length - refusedLater,
			'refused after it': `${refusedLater} of ${later.length} (${((100 * refusedLater) / later.length).toFixed(1)} %)`,
			seconds: seconds.toFixed(1),
			'limit permits': permitted.toFixed(1),
			ratio: (seconds / permitted).toFixed(2),
		},
	]);
}

let keys = 0;

/** A service with these settings, and a key of its own for each run, which is returned. */
async function prepare(
	{ server, standIn }: Setting,
	settings: Parameters<StandIn['configure']>[0],
	requestsPerMinute = GRANTED,
	concurrentRequests = 10,
): Promise<string> {
	await standIn.reset();
	await standIn.configure(settings);
	keys += 1;
	const apiKey = `xtkt_live_valid_bench_${process.pid}_${keys}`;
	await addCredential(server, standIn, { apiKey, requestsPerMinute, concurrentRequests });
	return apiKey;
}

async function addCredential(
	server: Server,
	{ url }: StandIn,
	fields: { apiKey: string; requestsPerMinute: number; concurrentRequests: number },
): Promise<void> {
	const known = await server.rest<Array<{ id: string }>>('GET', '/rest/credentials');
	for (const { id } of known) await server.rest('DELETE', `/rest/credentials/${id}`);
	await server.addCredential({
		name: 'Benchmark',
		type: 'documentIntelligenceApi',
		data: { region: 'custom', baseUrl: url, ...fields },
	});
}

async function run(server: Server, contender: Contender, files: string) {
	const execution = await server.run(workflowOf(contender, files));
	const items = execution.items('Send');
	const read = execution.items('Read').map(({ binary }) => binary?.data?.fileName);
	const paired = items.map(({ pairedItem }) =>
		typeof pairedItem === 'object' && !Array.isArray(pairedItem) ? pairedItem.item : -1,
	);
	return {
		seconds: execution.record('Send').executionTime / 1000,
		succeeded: items.filter(({ json, error }) => json.error === undefined && error === undefined)
			.length,
		inOrder: paired.length === read.length && paired.every((item, position) => item === position),
	};
}

/** What perfect knowledge of the windows would need: each grants 50 starts, and the last one takes its time. */
function permittedSeconds(count: number, startedAt: number, secondsEach: number): number {
	const intoWindow = (startedAt / 1000) % WINDOW;
	const furtherWindows = Math.ceil(count / GRANTED) - 1;
	return (furtherWindows > 0 ? furtherWindows * WINDOW - intoWindow : 0) + secondsEach;
}

/** So many invoices in a folder, as a pattern for Read Files. */
async function invoices(folder: string, name: string, count: number): Promise<string> {
	const target = join(folder, name);
	await copies(
		target,
		Array.from({ length: count }, (_, number) => `invoice-${String(number).padStart(4, '0')}.pdf`),
	);
	return join(target, '*.pdf');
}

function report(title: string, rows: object[]): void {
	console.log(`\n${title}`);
	console.table(rows);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
