import type { Output } from '../../../../../nodes/DocumentIntelligence/document/document';
import {
	BrokenLink,
	Undelivered,
} from '../../../../../nodes/DocumentIntelligence/operations/operation';
import {
	leftByFailure,
	leftByFreeJob,
	leftByOutputs,
	leftInFlight,
	type Left,
} from '../../../../../nodes/DocumentIntelligence/run/ledger/left';
import type { Entry, Past } from '../../../../../nodes/DocumentIntelligence/run/ledger/past';
import { JobError } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobResult';
import { DocumentError } from '../../../../../nodes/DocumentIntelligence/text/errors';

const answer: Past = { kind: 'answer', bytes: new Uint8Array(1) };
const free = new DocumentError('no', '');
const lost = new DocumentError('lost', '', {}, 'document');
const notStored = new Undelivered('no space', '', {}, 'document');
const broken = new BrokenLink('no such picture', '', {}, 'document');
const ok: Output = { json: {} };
const lostLeft: Left = {
	past: { kind: 'lost', failure: lost },
	history: 'unanswered',
	oncePassedOn: 'dropped',
};

const entryOf = (past: Past): Entry => ({ past, execution: 'e', runIndex: 0, since: 0 });
const countedJob: Left = {
	past: { kind: 'job', jobId: 'j', isCounted: true },
	history: 'unanswered',
	oncePassedOn: 'stays',
};

test.each<[string, DocumentError, Entry | null, Left]>([
	['rejected at no cost', free, null, { history: 'none', oncePassedOn: 'dropped' }],
	['failed before its earlier result was used', free, entryOf(answer), { oncePassedOn: 'stays' }],
	['may be billed', lost, null, lostLeft],
	[
		'a job that did not finish in time',
		new JobError('late', '', 'j', 'kept'),
		null,
		{ past: { kind: 'job', jobId: 'j' }, history: 'unanswered', oncePassedOn: 'stays' },
	],
	[
		'a job whose cost is known',
		new JobError('late', '', 'j', 'kept', { creditsConsumed: 1 }),
		null,
		countedJob,
	],
	[
		'a job whose cost an earlier run has counted',
		new JobError('late', '', 'j', 'kept'),
		entryOf({ kind: 'job', jobId: 'j', isCounted: true }),
		countedJob,
	],
])('%s', (_, failure, earlier, left) => {
	expect(leftByFailure(failure, earlier)).toEqual(left);
});

test.each<[string, Output[], Left]>([
	['answered', [ok], { past: answer, history: 'answered', oncePassedOn: 'reusable' }],
	['answered without an item', [], { past: answer, history: 'answered', oncePassedOn: 'reusable' }],
	['answered without a usable result', [lost], lostLeft],
	[
		'answered, and a part is not usable',
		[ok, notStored, lost],
		{ ...lostLeft, history: 'answered' },
	],
	[
		'answered, and nothing could be stored',
		[notStored],
		{ past: answer, history: 'unanswered', oncePassedOn: 'stays' },
	],
	[
		'answered, and a part could not be stored: the others would be passed on again',
		[ok, notStored],
		{ past: answer, history: 'answered', oncePassedOn: 'dropped' },
	],
	[
		'answered, with a link that leads nowhere',
		[broken],
		{ past: answer, history: 'unanswered', oncePassedOn: 'dropped' },
	],
])('%s', (_, outputs, left) => {
	expect(leftByOutputs(outputs, answer)).toEqual(left);
});

test.each<[string, Left, Past | null]>([
	['an answer', leftByOutputs([], answer), answer],
	['a failure that may be billed', leftByFailure(lost, null), lostLeft.past ?? null],
	['a failure at no cost', leftByFailure(free, null), null],
])('a request in flight at a stop comes to %s', async (_, late, past) => {
	const { past: pending } = leftInFlight(Promise.resolve(late));
	expect(pending?.kind === 'pending' && (await pending.outcome)).toEqual(past);
});

test('a free job without a usable output is forgotten, unless it would be collected again', () => {
	const forgotten: Left = { past: undefined, history: 'none', oncePassedOn: 'dropped' };
	expect(leftByFreeJob(lostLeft, false)).toEqual(forgotten);
	expect(leftByFreeJob(lostLeft, true)).toEqual({ ...forgotten, past: lostLeft.past });
	for (const outputs of [[ok], [ok, lost], [notStored]]) {
		const left = leftByOutputs(outputs, answer);
		expect(leftByFreeJob(left, false)).toBe(left);
	}
});
