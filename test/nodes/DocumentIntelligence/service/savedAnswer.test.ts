import type { Answer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import {
	readAnswerFrom,
	saveAnswer,
} from '../../../../nodes/DocumentIntelligence/service/savedAnswer';

test.each<Answer>([
	{ kind: 'data', data: { metadata: { Total: 1 } }, asSent: undefined, creditsConsumed: 2 },
	// For Raw, the result of a job is shown as it is stored.
	{
		kind: 'data',
		data: { metadata: { Total: 1 } },
		asSent: { Metadata: { Total: 1 } },
		creditsConsumed: undefined,
	},
	{
		kind: 'file',
		bytes: Buffer.from('\x89PNG'),
		mimeType: 'image/png',
		creditsConsumed: 0,
		jobId: 'j',
	},
])('an answer that is kept is the same later, whatever becomes of it: %j', (answer) => {
	const saved = saveAnswer(answer);
	expect(readAnswerFrom(saved)).toEqual(answer);
	const read = readAnswerFrom(saved);
	if (read.kind === 'file') read.bytes.fill(0);
	else Object.assign(read.data as object, { metadata: 'changed' });
	expect(readAnswerFrom(saved)).toEqual(answer);
});
