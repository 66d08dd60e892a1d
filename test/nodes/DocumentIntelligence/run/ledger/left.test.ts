import type { Output } from '../../../../../nodes/DocumentIntelligence/document/document';
import {
	BrokenLink,
	Undelivered,
} from '../../../../../nodes/DocumentIntelligence/operations/operation';
import {
	FATES,
	leftByDetached,
	leftByFailure,
	leftByOutputs,
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
const lostLeft: Left = { ...FATES.lost, past: { kind: 'lost', failure: lost } };

const entryOf = (past: Past): Entry => ({ past, execution: 'e', runIndex: 0, since: 0 });
test.each<[string, DocumentError, Entry | null, Left]>([
	['rejected at no cost', free, null, FATES.free],
	['failed before its earlier result was used', free, entryOf(answer), FATES.untouched],
	['may be billed', lost, null, lostLeft],
	[
		'a job that did not finish in time',
		new JobError('late', '', 'j', 'kept'),
		null,
		{ ...FATES.owed, past: { kind: 'job', jobId: 'j' } },
	],
])('%s', (_, failure, earlier, left) => {
	expect(leftByFailure(failure, earlier)).toEqual(left);
});

test.each<[string, Output[], Left]>([
	['answered', [ok], { ...FATES.delivered, past: answer }],
	['answered without an item', [], { ...FATES.delivered, past: answer }],
	['answered without a usable result', [lost], lostLeft],
	[
		'answered, and a part is not usable',
		[ok, notStored, lost],
		{ ...FATES.deliveredInPart, past: lostLeft.past },
	],
	['answered, and nothing could be stored', [notStored], { ...FATES.owed, past: answer }],
	[
		'answered, and a part could not be stored: the others would be passed on again',
		[ok, notStored],
		{ ...FATES.deliveredInPart, past: answer },
	],
	['answered, with a link that leads nowhere', [broken], { ...FATES.lost, past: answer }],
])('%s', (_, outputs, left) => {
	expect(leftByOutputs(outputs, answer, null)).toEqual(left);
});

test.each<[string, Left, Past | null]>([
	['an answer', leftByOutputs([], answer, null), answer],
	['a failure that may be billed', leftByFailure(lost, null), lostLeft.past ?? null],
	['a failure at no cost', leftByFailure(free, null), null],
])('a request in flight at a stop comes to %s', async (_, late, past) => {
	const { past: pending } = leftByDetached(Promise.resolve(late));
	expect(pending?.kind === 'pending' && (await pending.outcome)).toEqual(past);
});

test('a free job without a usable output is forgotten', () => {
	expect(leftByOutputs([lost], answer, null, true)).toEqual(FATES.free);
	for (const outputs of [[ok], [ok, lost], [notStored]])
		expect(leftByOutputs(outputs, answer, null, true)).toEqual(
			leftByOutputs(outputs, answer, null),
		);
});

test('an earlier result that could not be passed on once more changes nothing', () => {
	const earlier: Entry = { ...entryOf(answer), passedOn: 'byHand' };
	expect(leftByOutputs([ok], answer, earlier)).toEqual(FATES.passedOnAgain);
	expect(leftByOutputs([ok, notStored], answer, earlier)).toEqual(FATES.untouched);
});
