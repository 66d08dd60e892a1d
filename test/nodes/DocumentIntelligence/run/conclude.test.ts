import type {
	CallOperation,
	DocumentOperation,
	ResultContext,
} from '../../../../nodes/DocumentIntelligence/operations/operation';
import { conclude, concludeCall } from '../../../../nodes/DocumentIntelligence/run/conclude';
import type { Run } from '../../../../nodes/DocumentIntelligence/run/run';
import { RunEnd } from '../../../../nodes/DocumentIntelligence/run/runEnd';
import { failureMessage } from '../../../../nodes/DocumentIntelligence/service/requestError';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';
import { readyDocument } from './readyDocument';

const ready = [0, 1].map(readyDocument);

const runWith = (end: RunEnd) =>
	({ context: { helpers: {} }, operation: {}, end }) as unknown as Run;

const running = () => new RunEnd(new AbortController().signal, false);

function operationWith(toOutputs: (place: unknown, context: ResultContext) => void) {
	const operation: Partial<DocumentOperation> = {
		parse: () => [0, 1],
		toOutputs: (place, context) => {
			toOutputs(place, context);
			return [{ json: { place } as never }];
		},
	};
	return operation as DocumentOperation;
}

const answer = { kind: 'data' as const, data: {}, creditsConsumed: 3 };

test('what an answer cost counts once, and each document has notes of its own', async () => {
	const operation = operationWith((place, { notes }) =>
		notes.add('pages', `page ${String(place)}`),
	);
	const answered = await conclude(runWith(running()), operation, ready, answer);
	expect(answered.map(({ credits, notes }) => [credits, notes.map(({ entry }) => entry)])).toEqual([
		[3, ['"a.txt"', 'page 0']],
		[undefined, ['"a.txt"', 'page 1']],
	]);
});

test('a result that cannot be read fails each document by its name, and may be billed', async () => {
	const operation = operationWith(() => {
		throw new Error('unexpected');
	});
	const answered = await conclude(runWith(running()), operation, ready, answer);
	expect(answered.map(({ outputs: [failure] }) => (failure as DocumentError).message)).toEqual([
		'The result for "0.pdf" could not be passed on: unexpected',
		'The result for "1.pdf" could not be passed on: unexpected',
	]);
	expect(answered[0]?.outputs).toEqual([
		expect.objectContaining({
			description: expect.stringContaining('may already be billed') as string,
		}),
	]);
});

test('a run that has failed ends work on results, which are lost; a rejected key does not', async () => {
	const refused = running();
	refused.endSending('requests', failureMessage('%s is refused', ''), 401);
	const failed = new RunEnd(new AbortController().signal, true);
	failed.fail(ready[0]!, new Error('rejected'));
	const signals: boolean[] = [];
	const operation = operationWith((_, { context }) => signals.push(context.signal.aborted));
	for (const end of [refused, failed]) await conclude(runWith(end), operation, ready, answer);
	expect(signals).toEqual([false, false, true, true]);
});

test('calls that end with the run fail with its reason', async () => {
	const end = running();
	end.endSending('requests', failureMessage('%s is refused', ''), 401);
	const { reason } = end.signal as { reason: Error };
	const execute = async () => await Promise.reject<never>(reason);
	const operation = { execute } as unknown as CallOperation;
	await expect(concludeCall(runWith(end), operation, ready[0]!)).rejects.toBe(reason);
});
