/** Why a request got no answer. */
export interface ConnectionLoss {
	/** The code of the system or of Node.js, such as `ECONNREFUSED`. */
	code?: string;
	/** What kept the request from being sent; absent if it may have arrived. `blocked`: by n8n's SSRF protection. */
	notSent?: 'blocked' | 'certificate' | 'protocol' | 'timeout' | 'unreachable';
}

/** n8n wraps what was thrown. n8n 1 drops the cause, but keeps its code as the HTTP code and its text (tried). */
interface Wrapped {
	name?: unknown;
	code?: unknown;
	httpCode?: unknown;
	message?: unknown;
	messages?: unknown;
	cause?: unknown;
}

/** How many causes are followed at most; a cause may refer to itself. */
const DEPTH = 5;

/** Node.js verifies the certificate before it sends anything (X509 certificate error codes in its documentation of TLS). */
const CERTIFICATE =
	/^(CERT_|CRL_|ERR_TLS_CERT_|ERROR_IN_C|UNABLE_TO_|INVALID_|PATH_LENGTH_|HOSTNAME_)|SELF_SIGNED_CERT/;

/** Node.js shows the system call: codes alone do not tell, since a connection may also time out after a whole upload. */
const BEFORE_SENDING =
	/^((connect|getaddrinfo|query[A-Z]\w*) E[A-Z_]+\b|Client network socket disconnected before secure TLS)/;

/** Only a connect, or the look-up of a name before it, ends with these. */
const CONNECT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

export function connectionLoss(thrown: unknown): ConnectionLoss {
	const errors: Wrapped[] = [];
	for (let error = thrown; errors.length < DEPTH && isWrapped(error); error = error.cause)
		errors.push(error);
	const code = errors
		.flatMap(({ code, httpCode }) => [code, httpCode])
		.find(
			(value) => typeof value === 'string' && (/^E[A-Z_]+$/.test(value) || CERTIFICATE.test(value)),
		);
	const texts = errors.flatMap(({ message, messages }) => [message, messages].flat().map(String));
	const isBlocked = errors.some(({ name }) => String(name).startsWith('SsrfBlocked'));
	return {
		code: code as string | undefined,
		notSent: isBlocked ? 'blocked' : whyNotSent(String(code), texts),
	};
}

function isWrapped(value: unknown): value is Wrapped {
	return typeof value === 'object' && value !== null;
}

function whyNotSent(code: string, texts: string[]): ConnectionLoss['notSent'] {
	if (CERTIFICATE.test(code)) return 'certificate';
	// While the first message of TLS is written; later, a broken TLS record has a code that begins with ERR_SSL (tried).
	if (texts.some((text) => text.startsWith('write EPROTO'))) return 'protocol';
	// For a host with several addresses, n8n joins the attempts.
	const isBeforeSending = (text: string) =>
		text.split(' | ').every((attempt) => BEFORE_SENDING.test(attempt));
	if (!CONNECT_CODES.includes(code) && !texts.some(isBeforeSending)) return undefined;
	return /^ETIME(D)?OUT$/.test(code) ? 'timeout' : 'unreachable';
}
