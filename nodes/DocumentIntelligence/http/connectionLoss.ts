/** Why a request got no answer. */
export interface ConnectionLoss {
	/** The system's code, such as `ECONNREFUSED`. */
	code?: string;
	/** Whether n8n itself did not let the request out: its protection of private addresses (n8n 2, off by default). */
	blocked: boolean;
}

/** n8n wraps what went wrong. n8n 1 drops the cause and keeps the system's code as the HTTP code (seen). */
interface Wrapped {
	name?: unknown;
	code?: unknown;
	httpCode?: unknown;
	cause?: unknown;
}

/** How often something is wrapped at most; a cause may be its own. */
const DEPTH = 5;

export function connectionLoss(thrown: unknown): ConnectionLoss {
	const wrapped = [thrown];
	while (wrapped.length < DEPTH)
		wrapped.push((wrapped.at(-1) as Wrapped | null | undefined)?.cause);
	const errors = wrapped.filter(
		(error): error is Wrapped => typeof error === 'object' && error !== null,
	);
	return {
		code: errors.flatMap(({ code, httpCode }) => [code, httpCode]).find(isSystemCode),
		blocked: errors.some(({ name }) => typeof name === 'string' && name.startsWith('SsrfBlocked')),
	};
}

function isSystemCode(value: unknown): value is string {
	return typeof value === 'string' && /^E[A-Z_]+$/.test(value);
}
