import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Container } from '@n8n/di';
import fc from 'fast-check';
import { ErrorReporter } from 'n8n-core';
import type { INode, INodeExecutionData } from 'n8n-workflow';

import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import { runItems } from '../../../../../nodes/DocumentIntelligence/run/runItems';
import { Limiters } from '../../../../../nodes/DocumentIntelligence/service/limiter';
import { Locks } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';
import { useStoredHistory, type StoredHistory } from '../../../../n8n-core/history';
import { nodeWith } from '../../../../n8n-core/node';
import { useBinaryMode } from '../../../../n8n-core/runNode';
import { runWorkflow } from '../../../../n8n-core/runWorkflow';
import { numRuns, SEED } from '../../../numRuns';
import { itemOf } from '../../../samples';
import { ServiceModel, type Fate } from './serviceModel';
import { TableModel, type Call, type Option } from './tableModel';

/** How an execution is stopped. */
interface Stop {
	/** When so many requests with a document, status checks or writes of n8n's history have come. */
	on: 'document' | 'check' | 'history';
	at: number;
	/** What becomes of the requests that are in flight then. */
	late: 'answered' | 'lost' | 'rejected';
	/** Whether their responses come before the next execution, or during it. */
	isSoon: boolean;
}

interface Execution {
	workflow: string;
	nodes: string[];
	key: string;
	operation: 'extract' | 'job' | 'classify' | 'crop' | 'submit' | 'upload';
	filesPerRequest: number;
	option: Option;
	isManual: boolean;
	goesOn: boolean;
	tries: number;
	documents: string[];
	fates: Record<string, Fate[]>;
	stop: Stop | null;
}

const DOCUMENTS = ['A', 'B', 'C'];

const service = new ServiceModel();

beforeAll(async () => {
	await useBinaryMode('default');
	await service.start();
	// n8n prints each failure.
	jest.spyOn(Container.get(ErrorReporter), 'error').mockImplementation();
});
afterAll(() => service.stop());

/** An n8n with its process, in which the node runs. */
class N8n {
	readonly table = new TableModel(service.jobs);
	readonly apiKey = `xtkt_live_${randomUUID()}`;
	memory: LedgerMemory;
	limiters = quickLimiters();
	locks = new Locks();
	executions = 0;
	/** Responses that come during the next execution. */
	late: Fate | undefined;

	constructor(readonly history: StoredHistory) {
		this.memory = this.#newMemory();
	}

	async restart(): Promise<void> {
		await this.#releaseAll();
		this.memory = this.#newMemory();
		this.limiters = quickLimiters();
		this.locks = new Locks();
		this.table.restart();
	}

	async wait(ms: number): Promise<void> {
		await this.#releaseAll();
		this.table.wait(ms);
	}

	async execute(execution: Execution): Promise<void> {
		const name = `execution ${++this.executions}`;
		const { stop, documents } = execution;
		service.fates = new Map(
			Object.entries(execution.fates).map(([document, fates]) => [document, [...fates]]),
		);
		const stopping = new AbortController();
		this.#watch(stop, stopping);
		const isLate = this.late !== undefined;
		const releasing = isLate ? sleep(8).then(async () => await this.#releaseAll()) : undefined;
		const { table } = this;
		let pass = 0;
		let call: Call | undefined;
		const settle = (isPassedOn: boolean) => {
			if (call !== undefined) table.settle(call, isPassedOn, stop?.late);
			call = undefined;
		};
		await runWorkflow({
			workflowId: execution.workflow,
			mode: execution.isManual ? 'manual' : 'trigger',
			items: await Promise.all(documents.map(itemWith)),
			credential: {
				apiKey: this.#keyOf(execution),
				region: 'custom',
				baseUrl: service.url,
				requestsPerMinute: 1e6,
			},
			passes: execution.nodes.map((node) => nodeOf(execution, node)),
			execute: async (context, node) => {
				settle(false);
				const from = service.happenings.length;
				const current: Call = {
					...{ workflow: execution.workflow, node: node.id, key: this.#keyOf(execution) },
					operation: execution.operation === 'job' ? 'extract' : execution.operation,
					option: execution.option,
					isManual: execution.isManual,
					documents,
					execution: name,
					series: `${name} pass ${pass}`,
					get happenings() {
						return service.happenings.slice(from);
					},
					outputs: undefined,
					credits: undefined,
				};
				call = current;
				const [items = []] = await runItems(context, this.limiters, this.locks, this.memory);
				current.outputs = outputsOf(items, documents);
				const { hints } = context as unknown as { hints: Array<{ message: string }> };
				current.credits = creditsIn(hints);
				return [items];
			},
			onPassedOn: () => {
				settle(true);
				pass += 1;
			},
			signal: stopping.signal,
		});
		await releasing;
		if (stopping.signal.aborted) await service.settled();
		service.onArrival = () => 'respond';
		this.history.interrupt = () => undefined;
		if (service.held.length > 0 && stop?.isSoon !== false)
			await this.#release(stop?.late ?? 'answered');
		else if (service.held.length > 0) this.late = stop?.late;
		settle(false);
	}

	/** In the end, what was paid for and is still known reaches whoever asks for it. */
	async collectAll(): Promise<void> {
		await this.#releaseAll();
		for (const { workflow, node, key, operation, document } of this.table.owed())
			await this.execute({
				...{ workflow, nodes: [node], key: key.slice(this.apiKey.length), filesPerRequest: 1 },
				operation: operation as Execution['operation'],
				...{ option: 'none', isManual: false, goesOn: true, tries: 1 },
				...{ documents: [document], fates: {}, stop: null },
			});
		expect(this.table.violations).toEqual([]);
		expect(this.table.owed()).toEqual([]);
	}

	#watch(stop: Stop | null, stopping: AbortController): void {
		let remaining = stop?.at ?? 0;
		const arrive = (on: Stop['on']) => {
			if (stop?.on !== on) return false;
			// What is sent at the same moment arrives, too.
			if (--remaining === 0) setTimeout(() => stopping.abort(), 5);
			return remaining <= 0;
		};
		service.onArrival = (kind) => (arrive(kind) && kind === 'document' ? 'hold' : 'respond');
		this.history.interrupt = (when) => {
			if (when === 'beforeWrite' && arrive('history')) stopping.abort();
		};
	}

	async #releaseAll(): Promise<void> {
		if (this.late === undefined) return;
		await this.#release(this.late);
		this.late = undefined;
	}

	async #release(fate: Fate): Promise<void> {
		for (const { release } of service.held.splice(0)) release(fate);
		// Until what arrives has been kept.
		await sleep(8);
	}

	#keyOf({ key }: Execution): string {
		return `${this.apiKey}${key}`;
	}

	#newMemory() {
		return new LedgerMemory(
			() => this.table.now,
			undefined,
			() => undefined,
		);
	}
}

const SLICE_MS = 200;

/** On a clock that is about 200 times as fast while the process has nothing else to do. */
function quickLimiters(): Limiters {
	const began = Date.now();
	let elapsedMs = 0;
	return new Limiters({
		now: () => began + elapsedMs,
		// In slices, or a deadline would pass while a response is on its way.
		sleep: async (ms) => {
			const start = elapsedMs;
			for (let slept = 0; slept < ms; slept += SLICE_MS) {
				await sleep(1);
				elapsedMs = Math.max(elapsedMs, start + Math.min(slept + SLICE_MS, ms));
			}
		},
	});
}

const files = new Map<string, INodeExecutionData>();

async function itemWith(document: string): Promise<INodeExecutionData> {
	const content = Buffer.from(`%PDF-1.4\nDOCUMENT:${document}\n%%EOF\n`);
	const item = files.get(document) ?? (await itemOf(content, `${document}.pdf`));
	files.set(document, item);
	return item;
}

function nodeOf(execution: Execution, id: string): INode {
	const { operation, filesPerRequest, option, goesOn, tries } = execution;
	const resource = { submit: 'job', upload: 'storedFile' }[operation as string] ?? 'document';
	const parameters = {
		resource,
		operation: operation === 'job' ? 'extract' : operation,
		options: {
			...(option === 'none' ? {} : { processedBefore: option }),
			...(operation === 'job' ? { processing: 'job', timeout: 5 } : {}),
			...(operation === 'classify' ? { filesPerRequest } : {}),
		},
	};
	return {
		...nodeWith(parameters, goesOn ? 'continueRegularOutput' : undefined),
		id,
		name: `Document Intelligence ${id}`,
		alwaysOutputData: true,
		retryOnFail: tries > 1,
		maxTries: tries,
		waitBetweenTries: 1,
	};
}

function outputsOf(items: INodeExecutionData[], documents: string[]): Call['outputs'] {
	return new Map(
		items.map(({ json, pairedItem }) => {
			const { item } = pairedItem as { item: number };
			const { number, documentType, type, jobId, reference, error } = json;
			const result = number ?? documentType ?? type ?? jobId ?? reference;
			return [
				documents[item] ?? '',
				error === undefined ? { result: result as string } : ('failed' as const),
			];
		}),
	);
}

function creditsIn(hints: Array<{ message: string }>): number | undefined {
	const [credits] = hints.flatMap(
		({ message }) => /reported (\d+) credits? for this run/.exec(message)?.[1] ?? [],
	);
	return credits === undefined ? undefined : Number(credits);
}

type Command = fc.AsyncCommand<object, N8n>;

const command = (name: string, run: (n8n: N8n) => void | Promise<void>): Command => ({
	check: () => true,
	run: async (_, n8n) => await run(n8n),
	toString: () => name,
});

const execute = (execution: Execution) =>
	command(JSON.stringify(execution), async (n8n) => {
		await n8n.execute(execution);
		expect(n8n.table.violations).toEqual([]);
	});

const wait = (minutes: number) =>
	command(`wait ${minutes} minutes`, async (n8n) => await n8n.wait(minutes * 60_000));

const restart = command('restart', async (n8n) => await n8n.restart());

const endJobs = (end: Fate) =>
	command(`jobs end: ${end}`, () => {
		for (const job of service.jobs.values()) if (job.fate === 'running') job.fate = end;
	});

const fate = fc.constantFrom<Fate>(
	...([
		'answered',
		'answered',
		'noResult',
		'freeNoResult',
		'rejected',
		'lost',
		'running',
		'billedFailure',
	] as const),
);

const stop = fc.record<Stop>({
	on: fc.constantFrom('document', 'document', 'check', 'history'),
	at: fc.integer({ min: 1, max: 3 }),
	late: fc.constantFrom('answered', 'answered', 'lost', 'rejected'),
	isSoon: fc.boolean(),
});

/** Operations that ask the same of a document, and those that do not. */
const FAMILIES: Array<Array<Execution['operation']>> = [
	['extract'],
	['extract', 'job'],
	['job'],
	['classify'],
	['crop'],
	['submit'],
	['upload'],
	['extract', 'job', 'classify', 'crop', 'submit', 'upload'],
];

const executionOf = (operations: Array<Execution['operation']>) =>
	fc.record<Execution>({
		workflow: fc.constantFrom('one', 'one', 'one', 'one', 'two'),
		nodes: fc.constantFrom(['a'], ['a'], ['a'], ['a', 'a'], ['a', 'b'], ['b']),
		key: fc.constantFrom('', '', '', '', '', '2'),
		operation: fc.constantFrom(...operations),
		filesPerRequest: fc.constantFrom(1, 2, 3),
		option: fc.constantFrom<Option>('none', 'none', 'process', 'reuse', 'skip', 'skip', 'record'),
		isManual: fc.boolean(),
		goesOn: fc.boolean(),
		tries: fc.constantFrom(1, 1, 2, 3),
		documents: fc.shuffledSubarray(DOCUMENTS, { minLength: 1 }),
		fates: fc.record({
			A: fc.array(fate, { maxLength: 2 }),
			B: fc.array(fate, { maxLength: 2 }),
			C: fc.array(fate, { maxLength: 1 }),
		}),
		stop: fc.option(stop, { freq: 3 }),
	});

/** Stored File: Upload does not have the option. */
const asOffered = (execution: Execution) =>
	execute(execution.operation === 'upload' ? { ...execution, option: 'none' } : execution);

const commands = fc.constantFrom(...FAMILIES).chain((operations) => {
	const execution = executionOf(operations);
	const undisturbed = execution.map((each) => ({ ...each, stop: null, fates: {} }));
	return fc.commands(
		[
			execution.map(asOffered),
			execution.map(asOffered),
			undisturbed.map(asOffered),
			undisturbed.map(asOffered),
			fc.constantFrom(7, 67, 25 * 60).map(wait),
			fc.constant(restart),
			fc
				.constantFrom<Fate>('answered', 'rejected', 'billedFailure', 'noResult', 'freeNoResult')
				.map(endJobs),
		],
		{ maxCommands: 7 },
	);
});

/** As many as two minutes are enough for. */
const MANY_RUNS = 1000;

/** For a long run by hand: `LEDGER_RUNS=20000`. */
const RUNS = Number(process.env.LEDGER_RUNS ?? 0) || numRuns(MANY_RUNS, 30).numRuns;

test('whatever happens, in any order: nothing is paid twice, what is paid is passed on, and nothing reaches another node', async () => {
	await fc.assert(
		fc.asyncProperty(commands, async (sequence) => {
			service.reset();
			const n8n = new N8n(await useStoredHistory());
			await fc.asyncModelRun(() => ({ model: {}, real: n8n }), sequence);
			await n8n.collectAll();
		}),
		{ numRuns: RUNS, seed: SEED },
	);
}, 7_200_000);
