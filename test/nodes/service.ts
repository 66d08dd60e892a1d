import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { ICredentialDataDecryptedObject, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runNode, type NodeResult, type NodeRun } from '../n8n-core/runNode';
import { startStandIn, type RecordedPart, type RecordedRequest, type Settings, type StandIn } from '../stand-in/control';

/** A part of a form that is a file. */
export type RecordedFile = Extract<RecordedPart, { sha256: string }>;

type TestCredential = ICredentialDataDecryptedObject & { apiKey: string };

export interface TestedService {
	readonly standIn: StandIn;
	/** Of the running test, with a key that no other test uses: no test waits for the rate window of another. */
	readonly credential: TestCredential;
	run(parameters: IDataObject, items: INodeExecutionData[], more?: Partial<NodeRun>): Promise<NodeResult>;
	/** The API requests that arrived, in order. */
	calls(): Promise<RecordedRequest[]>;
	files(): Promise<RecordedFile[]>;
}

/** Options under which one document is one request whatever happens, so that requests can be counted. */
export const ONCE = { maxRetries: 0, onRateLimit: 'fail' };

/**
 * A stand-in service for the tests of a file. After each test, whatever the node gave out is searched for the key:
 * no item, hint or thrown error may hold it, in its JSON or in the objects.
 */
export function useService(settings: Partial<Settings> = {}): TestedService {
	let standIn: StandIn | undefined;
	let credential: TestCredential = { apiKey: '' };
	let givenOut: unknown[] = [];

	beforeAll(async () => {
		standIn = await startStandIn(settings);
	});
	beforeEach(async () => {
		await service.standIn.reset();
		givenOut = [];
		credential = { apiKey: `xtkt_live_valid_${randomUUID()}`, region: 'custom', baseUrl: service.standIn.url };
	});
	afterEach(() => {
		for (const given of givenOut) expect(textsOf(given).filter((text) => text.includes(credential.apiKey))).toEqual([]);
	});
	afterAll(async () => {
		await standIn?.stop();
	});

	const service: TestedService = {
		get standIn() {
			if (standIn === undefined) throw new Error('The stand-in service is started before the first test, not before.');
			return standIn;
		},
		get credential() {
			return credential;
		},
		async run(parameters, items, more = {}) {
			try {
				const result = await runNode({ parameters, items, credential, ...more });
				givenOut.push(result);
				return result;
			} catch (thrown) {
				givenOut.push(thrown);
				throw thrown;
			}
		},
		calls: async () => (await service.standIn.requests()).filter(({ kind }) => kind !== 'image'),
		files: async () => (await service.calls()).flatMap(({ parts }) => parts.filter((part) => 'sha256' in part)),
	};
	return service;
}

/** Everything that can be read in a value: as JSON, as n8n saves it, and as an inspector shows it. */
function textsOf(value: unknown): string[] {
	return [
		JSON.stringify(value),
		inspect(value, { depth: 50, showHidden: true, maxArrayLength: null, maxStringLength: null }),
	];
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
	const { error } = (item?.json ?? {}) as { error?: IDataObject & { message: string; description?: string } };
	if (error === undefined) throw new Error(`Not a failed item: ${JSON.stringify(item?.json)}`);
	const { message, ...details } = error;
	return { message, details, description: details.description ?? '' };
}

/** Words that a message of the node avoids (style, UI words). */
export const AVOIDED_WORDS = /\b(error|problem|failure|mistake)s?\b/i;
