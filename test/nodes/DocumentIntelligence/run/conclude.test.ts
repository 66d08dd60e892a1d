import type {
	CallOperation,
	DocumentOperation,
	ResultContext,
} from '../../../../nodes/DocumentIntelligence/operations/operation';
import { StorageFailure } from '../../../../nodes/DocumentIntelligence/files/content';
import { extract } from '../../../../nodes/DocumentIntelligence/operations/document/extract';
import { conclude, concludeCall } from '../../../../nodes/DocumentIntelligence/run/conclude';
import { Attempt } from '../../../../nodes/DocumentIntelligence/run/ledger/attempt';
import type { Run } from '../../../../nodes/DocumentIntelligence/run/run';
import { RunEnd } from '../../../../nodes/DocumentIntelligence/run/runEnd';
import { failureMessage } from '../../../../nodes/DocumentIntelligence/service/requestError';
import type { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';
import { Slots } from '../../../../nodes/DocumentIntelligence/waiting/waiting';
import { readyDocument } from './readyDocument';

const ready = readyDocument(0);

const runWith = (end: RunEnd) =>
	({
		context: { helpers: {} },
		operation: {},
		isSaved: true,
		end,
		held: { hold: () => undefined },
		resultSlots: new Slots(1),
		attempt: Object.create(Attempt.prototype, { execution: { value: 'e1' } }) as Attempt,
	}) as unknown as Run;

const running = () => new RunEnd(new AbortController().signal, false);

function operationWith(toOutputs: (context: ResultContext) => void) {
	const operation: Partial<DocumentOperation> = {
		outputs: [],
		parse: () => ({}),
		toOutputs: (_, context) => {
			toOutputs(context);
			return [{ json: {} }];
		},
	};
	return operation as DocumentOperation;
}

const answer = { kind: 'data' as const, data: {}, creditsConsumed: 3 };

test('a document has its notes and what its answer cost, unless another execution has paid it', async () => {
	const operation = operationWith(({ notes }) => notes.add('pages', 'page 1'));
	const { paid, notes } = await conclude(runWith(running()), operation, ready, answer);
	expect([paid?.credits, notes.map(({ entry }) => entry)]).toEqual([3, ['"a.txt"', 'page 1']]);
	const past = { kind: 'job' as const, jobId: 'j' };
	for (const [execution, expected] of [
		['e1', 3],
		['e2', undefined],
	] as const) {
		const collected = { ...ready, earlier: { past, execution, runIndex: 0, since: 0 } };
		const concluded = await conclude(runWith(running()), operation, collected, answer);
		expect(concluded.paid?.credits).toBe(expected);
	}
});

const BILLED = 'The document may already be billed, and processing it again may be billed twice.';

test.each([
	[
		new StorageFailure('no space'),
		'The result for "0.pdf" could not be passed on: no space',
		`Check that n8n's storage for files has free space. ${BILLED}`,
	],
	[
		new Error('unexpected'),
		'The result for "0.pdf" could not be read: unexpected',
		`Set 'Output' to Raw to get the response as it is. ${BILLED}`,
	],
])('a result with a %s fails its document by name, and is kept', async (thrown, ...texts) => {
	const operation = operationWith(() => {
		throw thrown;
	});
	const { outputs, left } = await conclude(runWith(running()), operation, ready, answer);
	const [failure] = outputs as [DocumentError];
	expect([failure.message, failure.description]).toEqual(texts);
	expect(left).toMatchObject({ past: { kind: 'answer' }, oncePassedOn: 'stays' });
});

test('a stop ends the wait for a storage that hangs, and the result is kept', async () => {
	const stop = new AbortController();
	const operation: Partial<DocumentOperation> = {
		parse: () => ({}),
		toOutputs: async () => await new Promise(() => undefined),
	};
	const run = runWith(new RunEnd(stop.signal, false));
	const concluded = conclude(run, operation as DocumentOperation, ready, answer);
	stop.abort();
	const { left, outputs } = await concluded;
	expect(outputs).toEqual([]);
	expect(left).toMatchObject({ past: { kind: 'answer' } });
});

test('Raw returns a result that the operation cannot read', async () => {
	const operation = {
		...operationWith(() => undefined),
		parse: () => {
			throw new RangeError('unexpected');
		},
	};
	const raw = { ...ready, settings: { ...ready.settings, output: 'raw' } };
	const { outputs } = await conclude(runWith(running()), operation, raw, answer);
	expect(outputs).toEqual([{ json: {} }]);
});

test('a run that has failed ends work on results, which are lost; a rejected key does not', async () => {
	const refused = running();
	refused.endSending('requests', failureMessage('%s is refused', ''), 401);
	const failed = new RunEnd(new AbortController().signal, true);
	failed.fail(ready, new Error('rejected'));
	const signals: boolean[] = [];
	const operation = operationWith(({ files }) => signals.push(files.signal.aborted));
	for (const end of [refused, failed]) await conclude(runWith(end), operation, ready, answer);
	expect(signals).toEqual([false, true]);
});

test('calls that end with the run fail with its reason', async () => {
	const end = running();
	end.endSending('requests', failureMessage('%s is refused', ''), 401);
	const { reason } = end.sending as { reason: Error };
	const execute = async () => await Promise.reject<never>(reason);
	const operation = { execute } as unknown as CallOperation;
	await expect(concludeCall(runWith(end), operation, ready, jest.fn())).rejects.toBe(reason);
});

describe('An answer without a result', () => {
	test.each<[string, { creditsConsumed?: number }, boolean, string]>([
		['a job', { creditsConsumed: 0 }, false, 'none'],
		['a job', { creditsConsumed: 2 }, true, 'withoutResult'],
		['a job', {}, true, 'withoutResult'],
		// Only of jobs is it said that 0 means free.
		['a request', { creditsConsumed: 0 }, true, 'withoutResult'],
		['a request', { creditsConsumed: 2 }, true, 'withoutResult'],
		['a request', {}, true, 'withoutResult'],
	])('of %s with %j: may be billed: %s', async (way, reported, mayBeBilled, history) => {
		const jobId = way === 'a job' ? 'j' : undefined;
		for (const data of [null, { metadata: null }, { quality: { overall: 2 }, metadata: null }]) {
			const without = { kind: 'data' as const, data, jobId, ...reported };
			const { outputs, left } = await conclude(runWith(running()), extract, ready, without);
			const [failure] = outputs as [DocumentError];
			expect([outputs.length, failure.mayBeBilled, left.history]).toEqual([
				1,
				mayBeBilled,
				history,
			]);
			expect(failure.details).toEqual({ httpCode: 200, ...reported });
			const isReported = (reported.creditsConsumed ?? 0) > 0;
			expect(failure.description.includes('Cogneris billed 2 credits')).toBe(isReported);
			expect(failure.description.includes('may already be billed')).toBe(
				mayBeBilled && !isReported,
			);
		}
	});
});
