import type { Fault, FaultKind } from '../stand-in/startStandIn';

/** Every kind of fault, with short times if the node waits in real time, and bodies that are just too large. */
export const FAULTS: { [Kind in FaultKind]: Fault & { kind: Kind } } = {
	refuse: { kind: 'refuse' },
	reset: { kind: 'reset' },
	hang: { kind: 'hang' },
	late: { kind: 'late', ms: 5000 },
	slowBody: { kind: 'slowBody' },
	truncatedBody: { kind: 'truncatedBody' },
	truncatedJson: { kind: 'truncatedJson' },
	emptyBody: { kind: 'emptyBody' },
	html200: { kind: 'html200' },
	html502: { kind: 'html502' },
	gatewayTimeout504: { kind: 'gatewayTimeout504' },
	internal500: { kind: 'internal500' },
	status: { kind: 'status' },
	problem: { kind: 'problem' },
	retryable500: { kind: 'retryable500' },
	retryable503: { kind: 'retryable503' },
	contradictory503: { kind: 'contradictory503' },
	charged503: { kind: 'charged503' },
	charged422: { kind: 'charged422' },
	rateLimit: { kind: 'rateLimit', retryAfterSeconds: 1 },
	quotaExceeded: { kind: 'quotaExceeded' },
	redirect: { kind: 'redirect' },
	envelopeError: { kind: 'envelopeError' },
	qualityBlock: { kind: 'qualityBlock' },
	qualityWarn: { kind: 'qualityWarn' },
	hugeBody: { kind: 'hugeBody', megabytes: 33 },
	gzipBomb: { kind: 'gzipBomb', megabytes: 33 },
	endlessBody: { kind: 'endlessBody' },
	byteOrderMark: { kind: 'byteOrderMark' },
	wrongContentType: { kind: 'wrongContentType' },
	imageAnswer: { kind: 'imageAnswer' },
	reorderedResults: { kind: 'reorderedResults' },
	answer: { kind: 'answer' },
};

/** Kinds that only the timeout ends; the others use the default timeout. */
export const NEVER_ANSWERED: readonly FaultKind[] = ['hang', 'late', 'slowBody'];
