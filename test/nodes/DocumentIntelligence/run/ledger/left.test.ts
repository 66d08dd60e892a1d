import type {
	Answered,
	Ended,
	Failed,
	Output,
	Past,
} from '../../../../../nodes/DocumentIntelligence/document/document';
import {
	BrokenLink,
	NotPassedOn,
} from '../../../../../nodes/DocumentIntelligence/operations/operation';
import { leftOf, type Left } from '../../../../../nodes/DocumentIntelligence/run/ledger/left';
import { StoppedRequest } from '../../../../../nodes/DocumentIntelligence/service/exchange';
import { JobError } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobResult';
import { RequestError } from '../../../../../nodes/DocumentIntelligence/service/requestError';
import { DocumentError } from '../../../../../nodes/DocumentIntelligence/text/errors';
import { readyDocument } from '../readyDocument';

const ready = readyDocument(0);
const answer: Past = { kind: 'answer', bytes: new Uint8Array(1) };
const earlier = { past: answer, execution: 'e', runIndex: 0, since: 0, otherwise: {} };
const lost = new DocumentError('lost', '', {}, 'document');
const notPassedOn = new NotPassedOn('no space', '', {}, 'document');
const broken = new BrokenLink('no such picture', '', {}, 'document');
const billed = new RequestError('billed', '', {}, 'lost');
const rejected = new RequestError('rejected', '', {}, 'never');
const ok: Output = { json: {} };

const failed = (failure: DocumentError, more: Partial<Failed> = {}): Failed => ({
	...{ ...ready, state: 'failed', failure, loaded: null },
	...more,
});
const answered = (...outputs: Output[]): Answered => ({ ...ready, state: 'answered', outputs });

test.each<[string, Ended, Left]>([
	[
		'skipped and recorded',
		{ ...ready, state: 'skipped', recordedAs: 'answered' },
		{ outcome: 'answered', isWhole: false },
	],
	['rejected at no cost', failed(new DocumentError('no', '')), { outcome: 'none', isWhole: false }],
	[
		'failed before its earlier result was used',
		failed(new DocumentError('no', ''), { earlier }),
		{ isWhole: false },
	],
	[
		'may be billed',
		failed(lost),
		{ past: { kind: 'lost', failure: lost }, outcome: 'unanswered', isWhole: false },
	],
	[
		'a job that did not finish in time',
		failed(new JobError('late', '', 'j', 'kept')),
		{ past: { kind: 'job', jobId: 'j' }, outcome: 'unanswered', isWhole: false },
	],
	[
		'answered',
		answered(ok),
		{ past: answer, outcome: 'answered', isWhole: true, isPartial: false },
	],
	[
		'answered without an item',
		answered(),
		{ past: answer, outcome: 'answered', isWhole: true, isPartial: false },
	],
	[
		'answered without a usable result',
		answered(lost),
		{ past: { kind: 'lost', failure: lost }, outcome: 'unanswered', isWhole: false },
	],
	[
		'answered, and nothing could be passed on',
		answered(notPassedOn),
		{ past: answer, outcome: 'unanswered', isWhole: false, isPartial: false },
	],
	[
		'answered, and a part could not be passed on',
		answered(ok, notPassedOn),
		{ past: answer, outcome: 'answered', isWhole: false, isPartial: true },
	],
	[
		'answered, with a link that is refused',
		answered(broken),
		{ past: answer, outcome: 'unanswered', isWhole: false, isPartial: false },
	],
])('%s', (_, ended, left) => {
	expect(leftOf(ended, answer)).toEqual(left);
});

test.each<[string, unknown, Past | null]>([
	['an answer', answer, answer],
	['a failure that may be billed', billed, { kind: 'lost', failure: billed }],
	['a failure at no cost', rejected, null],
	['nothing of use', undefined, null],
])('a request in flight at a stop comes to %s', async (_, late, past) => {
	const { past: pending } = leftOf(
		failed(new StoppedRequest('stopped', 'inFlight', Promise.resolve(late))),
		undefined,
	);
	expect(pending?.kind === 'pending' && (await pending.outcome)).toEqual(past);
});
