import type { Output } from '../../../../nodes/DocumentIntelligence/document/document';
import { mayBeBilled, type Answered } from '../../../../nodes/DocumentIntelligence/run/state';
import { FATES, leftByOutputs } from '../../../../nodes/DocumentIntelligence/run/ledger/left';
import { RunEnd } from '../../../../nodes/DocumentIntelligence/run/runEnd';
import {
	failureMessage,
	RequestError,
} from '../../../../nodes/DocumentIntelligence/service/requestError';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';
import { readyDocument as document } from './readyDocument';

const answered = (place: number, outputs: Output[]): Answered => ({
	...document(place),
	state: 'answered',
	outputs,
	left: leftByOutputs(outputs, undefined, null),
});

const damaged = new DocumentError('It is damaged', '');

function start(stopsOnFailure: boolean) {
	const user = new AbortController();
	const end = new RunEnd(user.signal, stopsOnFailure);
	const ended = () => [end.canceled.aborted, end.work.aborted, end.sending.aborted];
	return { user, end, ended };
}

test('a document that fails ends nothing under On Error: Continue', () => {
	const { end, ended } = start(false);
	const first = document(0);
	const { place, item, subject, fileName, earlier, notes } = first;
	const origin = { place, item, subject, fileName, earlier, notes };
	const left = { history: 'none', oncePassedOn: 'cameToNothing' };
	const failed = { ...origin, state: 'failed', failure: damaged, left };
	expect(end.fail(origin, damaged)).toEqual({ ...failed, loaded: null });
	expect(end.fail(first, damaged)).toEqual({ ...failed, loaded: first });
	expect(ended()).toEqual([false, false, false]);
	expect(end.fatal).toBeUndefined();
});

test('under On Error: Stop it ends the run; what is not sent then is no failure', () => {
	const { end, ended } = start(true);
	end.fail(document(1), damaged);
	expect(ended()).toEqual([false, true, true]);
	// What they had before stays.
	for (const { reason } of [end.sending, end.work])
		expect(end.fail(document(0), reason)).toMatchObject({ state: 'unsent', left: FATES.untouched });
	// What was in flight throws an error of its own.
	expect(end.fail(document(3), new Error('reset'))).toMatchObject({
		state: 'failed',
		failure: { message: 'reset' },
	});
});

test('the first failure in order of time is fatal, of a request or of a part of an answer', () => {
	const { end } = start(true);
	end.watch(answered(7, [{ json: {} }]));
	expect(end.fatal).toBeUndefined();
	end.watch(answered(5, [{ json: {} }, damaged]));
	end.fail(document(2), new Error('later'));
	end.watch(answered(1, [new DocumentError('latest', '')]));
	expect(end.fatal).toMatchObject({ document: { place: 5 }, failure: damaged });
});

test('a stop by the user ends all work; documents fail with the reason of n8n', () => {
	const { user, end, ended } = start(false);
	end.fail(document(4), damaged);
	user.abort(new Error('The execution was canceled'));
	expect(ended()).toEqual([true, true, true]);
	expect(end.fail(document(0), end.sending.reason)).toMatchObject({
		state: 'failed',
		failure: { message: 'The execution was canceled' },
	});
	expect(end.fatal?.failure).toBe(damaged);
});

test('a refusal ends what is not sent, with its message and each name, and no work on results', () => {
	const { end, ended } = start(false);
	end.endSending('documents', failureMessage('%s is refused', 'Wait.'), 401);
	expect(end.requests.aborted).toBe(false);
	end.endSending('requests', failureMessage('%s is refused once more', ''), 429);
	expect(end.requests.aborted).toBe(true);
	expect(ended()).toEqual([false, false, true]);
	for (const place of [0, 3])
		expect(end.fail(document(place), end.sending.reason)).toMatchObject({
			state: 'failed',
			failure: {
				message: `"${place}.pdf" is refused`,
				description: 'Wait.',
				details: { httpCode: 401 },
			},
		});
	expect(end.fail(document(1), damaged)).toMatchObject({ failure: damaged });
	expect(end.fatal).toBeUndefined();
});

test('a failure whose request may be billed says so', () => {
	const { end } = start(false);
	const lost = new RequestError('It was lost', '', { creditsConsumed: 2 }, 'lost');
	expect(mayBeBilled(end.fail(document(0), lost))).toBe(true);
	const rejected = new RequestError('It was rejected', '', {}, 'never');
	expect(mayBeBilled(end.fail(document(2), rejected))).toBe(false);
});
