/** Why a request got no answer. */
export interface ConnectionLoss {
	/** The code of the system or of Node.js, such as `ECONNREFUSED`. */
	code?: string;
	/** Whether n8n's SSRF protection blocked the request (n8n 2, off by default). */
	blocked: boolean;
	/** What kept the request from being sent. Absent where it may have arrived. */
	notSent?: 'certificate' | 'protocol' | 'timeout' | 'unreachable';
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

export function connectionLoss(thrown: unknown): ConnectionLoss {
	const wrapped = [thrown];
	while (wrapped.length < DEPTH)
		wrapped.push((wrapped.at(-1) as Wrapped | null | undefined)?.cause);
	const errors = wrapped.filter(
		(error): error is Wrapped => typeof error === 'object' && error !== null,
	);
	const code = errors.flatMap(({ code, httpCode }) => [code, httpCode]).find(isSystemCode);
	const texts = errors
		.flatMap(({ message, messages }) => [message, messages])
		.flat()
		.filter((text) => typeof text === 'string');
	return {
		code,
		blocked: errors.some(({ name }) => typeof name === 'string' && name.startsWith('SsrfBlocked')),
		notSent: whyNotSent(code, texts),
	};
}

function isSystemCode(value: unknown): value is string {
	return typeof value === 'string' && (/^E[A-Z_]+$/.test(value) || CERTIFICATE_CODES.has(value));
}

/** Codes alone do not tell: a connection may also time out, or lose its route, after a whole upload. */
function whyNotSent(code = '', texts: string[]): ConnectionLoss['notSent'] {
	if (CERTIFICATE_CODES.has(code)) return 'certificate';
	if (texts.some((text) => HANDSHAKE_FAILED.test(text))) return 'protocol';
	if (!CONNECT_CODES.has(code) && !texts.some(isBeforeSending)) return undefined;
	return TIMEOUT_CODES.has(code) ? 'timeout' : 'unreachable';
}

/** Node.js names the system call that failed; for a host with several addresses, n8n joins the attempts. */
function isBeforeSending(text: string): boolean {
	return text
		.split(' | ')
		.every((attempt) => CONNECT_FAILED.test(attempt) || attempt.startsWith(CLOSED_BEFORE_TLS));
}

const CONNECT_FAILED = /^(connect|getaddrinfo|query[A-Z]\w*) E[A-Z_]+\b/;

const CLOSED_BEFORE_TLS = 'Client network socket disconnected before secure TLS connection';

/** While the first message of TLS is written; later, a broken TLS record has a code that begins with ERR_SSL (tried). */
const HANDSHAKE_FAILED = /^write EPROTO\b/;

/** Only a connect, or the look-up of a name before it, ends with these. */
const CONNECT_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

const TIMEOUT_CODES = new Set(['ETIMEDOUT', 'ETIMEOUT']);

/** Node.js verifies the certificate before it sends anything (X509 certificate error codes in its documentation of TLS). */
const CERTIFICATE_CODES = new Set([
	'CERT_CHAIN_TOO_LONG',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'CERT_REJECTED',
	'CERT_REVOKED',
	'CERT_SIGNATURE_FAILURE',
	'CERT_UNTRUSTED',
	'CRL_HAS_EXPIRED',
	'CRL_NOT_YET_VALID',
	'CRL_SIGNATURE_FAILURE',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'ERROR_IN_CERT_NOT_AFTER_FIELD',
	'ERROR_IN_CERT_NOT_BEFORE_FIELD',
	'ERROR_IN_CRL_LAST_UPDATE_FIELD',
	'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
	'ERR_TLS_CERT_ALTNAME_FORMAT',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'HOSTNAME_MISMATCH',
	'INVALID_CA',
	'INVALID_PURPOSE',
	'PATH_LENGTH_EXCEEDED',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
	'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
	'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
	'UNABLE_TO_GET_CRL',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
