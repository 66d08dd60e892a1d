import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { ICredentialDataDecryptedObject, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { LedgerMemory } from '../../nodes/DocumentIntelligence/run/ledger/memory';
import { runNode, useBinaryMode, type NodeRun } from '../n8n-core/runNode';
import { fastLimiters, fastWindowMs } from './clock';
import { sharedStandIn, type Settings, type StandIn } from '../stand-in/startStandIn';

type TestCredential = ICredentialDataDecryptedObject & { apiKey: string };

/** The hint that tells the credits of a run apart from those that only some runs have. */
const CREDITS =
	/^Cogneris reported \S+ credits? for this run\.( For \d+ documents? it reported none, so this is only a part\.)?( \d+ failed documents? may be billed as well\.)?$/;

/** On a clock that is so much faster, a busy machine takes seconds between two steps. */
const WAITED = /Waited up to \d+ seconds? for the rate limit of the API key\.\s*/;

export type TestedService = ReturnType<typeof useService>;

/** How much faster than real time the waiting of a run is, unless it brings limiters of its own. */
const SPEED = 100;

/** The same for runs that wait for jobs, which has to leave time to requests between two status checks. */
const SPEED_OF_JOBS = 20;

/** On Error: Continue. */
export const goOn = { onError: 'continueRegularOutput' as const };

/**
 * A stand-in service for the tests of a file, and the node with files in n8n's folder. After each test, whatever the node gave
 * out is searched for the key of the test and for that of the run: no item, hint or thrown error may hold one, in its JSON or in
 * the objects.
 */
export function useService(
	settings: Partial<Settings> = {},
	start: (settings: Partial<Settings>) => Promise<StandIn> = sharedStandIn,
	speed = SPEED,
) {
	let started: StandIn | undefined;
	let credential: TestCredential = { apiKey: '' };
	let memory: LedgerMemory | undefined;
	let givenOut: Array<{ value: unknown; keys: unknown[] }> = [];

	const standIn = () => {
		if (started !== undefined) return started;
		throw new Error('The stand-in service is started before the first test, not before.');
	};
	const keysShown = () => givenOut.splice(0).flatMap(({ value, keys }) => keysIn(value, keys));
	const calls = async () => (await standIn().requests()).filter(({ kind }) => kind !== 'image');

	beforeAll(async () => {
		await useBinaryMode('filesystem');
		started = await start(settings);
	});
	beforeEach(async () => {
		await standIn().reset();
		givenOut = [];
		memory = new LedgerMemory(Date.now);
		const apiKey = `xtkt_live_valid_${randomUUID()}`;
		credential = { apiKey, region: 'custom', baseUrl: standIn().url };
	});
	afterEach(async () => {
		expect(keysShown()).toEqual([]);
		expect(await standIn().violations()).toEqual([]);
	});
	afterAll(async () => {
		await started?.stop();
	});

	async function run(
		parameters: IDataObject,
		items: INodeExecutionData[],
		more: Partial<NodeRun> = {},
	) {
		// The number of requests at a time, which a test sets with the options, is in the credential.
		const { concurrency } = (parameters.options ?? {}) as { concurrency?: number };
		const own = { ...(more.credential ?? credential) };
		if (concurrency !== undefined) own.concurrentRequests = concurrency;
		// A node that a test brings has the limiters of the process.
		const usual = more.types === undefined ? { limiters: fastLimiters(speed), memory } : {};
		const keys = [credential.apiKey, own.apiKey];
		try {
			const value = await runNode({ parameters, items, ...usual, ...more, credential: own });
			givenOut.push({ value, keys });
			const messages = value.hints.map(({ message }) => message);
			const waited = more.limiters === undefined ? WAITED : '';
			const hints = value.hints.map((hint) => ({
				...hint,
				message: hint.message.replace(CREDITS, '').replace(waited, '').trim(),
			}));
			return {
				items: value.items,
				hints: hints.filter(({ message }) => message !== ''),
				credits: messages.flatMap((message) => CREDITS.exec(message)?.[0].trim() ?? []),
			};
		} catch (thrown) {
			givenOut.push({ value: thrown, keys });
			throw thrown;
		}
	}

	return {
		get standIn() {
			return standIn();
		},
		/** Of the running test, with a key that no other test uses: no test waits for the rate window of another. */
		get credential() {
			return credential;
		},
		run,
		/** The API requests that arrived, in order. */
		calls,
		/** The steps of these requests, in order. */
		steps: async () => (await calls()).map(({ step }) => step),
		/** The files of these requests, in order. */
		files: async () =>
			(await calls()).flatMap(({ parts }) => parts.filter((part) => 'sha256' in part)),
		/**
		 * Places where API keys appear in the output of all runs since the last call. Called after each test, and by the
		 * test of this search.
		 */
		keysShown,
	};
}

/** With operations on jobs and stored files, and time for many status checks. */
export function useJobs(settings: Partial<Settings> = {}) {
	const windows = { windowMs: fastWindowMs(SPEED_OF_JOBS), requestsPerWindow: 1000 };
	const service = useService({ ...windows, ...settings }, sharedStandIn, SPEED_OF_JOBS);
	const { run, steps } = service;
	const operationsOf =
		(resource: string) =>
		async (
			operation: string,
			items: INodeExecutionData[] = [{ json: {} }],
			parameters: IDataObject = {},
			more: Partial<NodeRun> = {},
		) =>
			await run({ resource, operation, ...parameters }, items, more);
	return {
		service,
		run,
		steps,
		/** Runs an operation of the resource Job. */
		job: operationsOf('job'),
		/** Runs an operation of the resource Stored File. */
		storedFile: operationsOf('storedFile'),
		sandbox: () => ({
			credential: { ...service.credential, apiKey: 'xtkt_test_0001_sandbox_key' },
		}),
	};
}

/** Items as an earlier node outputs them, paired with what they came from. */
export function asInput(items: INodeExecutionData[]): INodeExecutionData[] {
	return items.map(({ json }) => ({ json }));
}

/** Without what each answer has of its own: IDs, times, and links that are signed. */
export function comparable({ json, binary, pairedItem }: INodeExecutionData): unknown {
	const { extractionId, createdDate, imageUrl, ...rest } = json;
	const own = [extractionId, createdDate, imageUrl].map((value) => typeof value);
	const files = Object.entries(binary ?? {}).map(([field, { fileName, mimeType }]) => [
		field,
		fileName,
		mimeType,
	]);
	return { json: rest, names: Object.keys(json), own, files, pairedItem };
}

/** How much is shown around a key that was found. */
const AROUND = 60;

/** The places at which a value shows one of the keys: in its JSON, as n8n saves it, or as an inspector shows its objects. */
export function keysIn(value: unknown, keys: unknown[]): string[] {
	const texts = [
		JSON.stringify(value),
		inspect(value, {
			depth: 50,
			showHidden: true,
			maxArrayLength: null,
			maxStringLength: null,
			// A text broken over lines would hide a key that has a line break inside.
			breakLength: Infinity,
		}),
	];
	const trimmed = keys.map((key) => (typeof key === 'string' ? key.trim() : ''));
	// Both forms put a backslash before some signs, but not everywhere.
	const written = new Set(trimmed.flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]));
	written.delete('');
	return texts.flatMap((text) =>
		[...written].flatMap((key) => {
			const place = text.indexOf(key);
			const end = place + key.length + AROUND;
			return place < 0 ? [] : [text.slice(Math.max(0, place - AROUND), end)];
		}),
	);
}

/** What a run throws when it stops. */
export async function thrownBy(run: Promise<unknown>): Promise<Error & { description?: string }> {
	try {
		await run;
	} catch (thrown) {
		return thrown as Error;
	}
	throw new Error('The run was expected to stop, and did not.');
}

/** What a failed item says, in its JSON and in the error beside it. */
export function failureOf(item: INodeExecutionData | undefined): {
	message: string;
	details: IDataObject;
	description: string;
} {
	const { error } = (item?.json ?? {}) as {
		error?: IDataObject & { message: string; description?: string };
	};
	if (error === undefined) throw new Error(`Not a failed item: ${JSON.stringify(item?.json)}`);
	const { message, ...details } = error;
	return { message, details, description: details.description ?? '' };
}
