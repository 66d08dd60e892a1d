import { faultKinds, type Fault, type FaultKind } from '../stand-in/startStandIn';

/** Every kind of fault, with short times if the node waits in real time, and bodies that are just too large. */
export const FAULTS = {
	...Object.fromEntries(faultKinds.map((kind) => [kind, { kind }])),
	late: { kind: 'late', ms: 5000 },
	rateLimit: { kind: 'rateLimit', retryAfterSeconds: 1 },
	hugeBody: { kind: 'hugeBody', megabytes: 33 },
	gzipBomb: { kind: 'gzipBomb', megabytes: 33 },
} as { [Kind in FaultKind]: Fault & { kind: Kind } };

/** Kinds that only the timeout ends; the others use the default timeout. */
export const NEVER_ANSWERED: readonly FaultKind[] = ['hang', 'late', 'slowBody'];
