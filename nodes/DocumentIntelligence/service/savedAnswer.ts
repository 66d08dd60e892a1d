import { objectOf } from '../text/json';
import type { Answer } from './envelope';
import { asDirectResult } from './jobs/jobResult';

/** An answer as bytes, which nothing can change and whose size is known. */
export interface SavedAnswer {
	/** JSON or, with a MIME type, the file that the answer is. */
	readonly bytes: Uint8Array;
	readonly mimeType?: string;
	/** Absent if Cogneris does not report them. */
	readonly creditsConsumed?: number;
	/** The job that has it, too. */
	readonly jobId?: string;
}

export function saveAnswer(answer: Answer): SavedAnswer {
	const { creditsConsumed, jobId } = answer;
	const cost = { creditsConsumed, jobId };
	if (answer.kind === 'file')
		return { bytes: new Uint8Array(answer.bytes), mimeType: answer.mimeType, ...cost };
	const { data, asSent } = answer;
	return { bytes: saveJson(asSent === undefined ? { data } : { asSent }), ...cost };
}

export function readAnswerFrom({ bytes, mimeType, ...cost }: SavedAnswer): Answer {
	if (mimeType !== undefined) return { kind: 'file', bytes: Buffer.from(bytes), mimeType, ...cost };
	const { asSent, data = asDirectResult(asSent) } = readJsonFrom(bytes);
	return { kind: 'data', data, asSent, ...cost };
}

export function saveJson(value: unknown): Uint8Array {
	return new TextEncoder().encode(JSON.stringify(value));
}

export function readJsonFrom(bytes: Uint8Array) {
	return objectOf(JSON.parse(new TextDecoder().decode(bytes)));
}
