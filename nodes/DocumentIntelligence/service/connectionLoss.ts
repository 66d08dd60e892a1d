import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../text/json';

export interface ConnectionLoss {
	/** A code of the system or of Node.js, such as `ECONNREFUSED`. */
	code?: string;
	/** Undefined if it may have arrived; `blocked` by SSRF protection, `cutOff` in the upload, so not processed. */
	notSent?: 'blocked' | 'certificate' | 'cutOff' | 'unreachable';
}

/** A cause may refer to itself. */
const DEPTH = 5;

/** Checked before anything is sent (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const CERTIFICATE =
	/^(CERT_|CRL_|ERR_TLS_CERT_|ERROR_IN_C|UNABLE_TO_|INVALID_|PATH_LENGTH_|HOSTNAME_)|SELF_SIGNED_CERT/;

/**
 * The code alone is not enough, because a connection can also time out after the upload. The system call in the message
 * shows the difference.
 * `write EPROTO` is the first message of TLS; a later broken record has a code that begins with ERR_SSL (tried).
 */
const BEFORE_SENDING =
	/^((connect|getaddrinfo|query[A-Z]\w*) E[A-Z_]+\b|write EPROTO|Client network socket disconnected before secure TLS)/;

/** Only a connect, or the name look-up before it, ends with these. */
const CONNECT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** n8n 2 wraps the error; n8n 1 keeps only its message and, as `httpCode`, its code (tried). */
export function connectionLoss(thrown: unknown): ConnectionLoss {
	const errors: IDataObject[] = [];
	for (let error = thrown; errors.length < DEPTH && isObject(error); error = error.cause)
		errors.push(error);
	const textsOf = (...names: string[]) =>
		errors
			.flatMap((error) => names.flatMap((name) => error[name]))
			.filter((value) => typeof value === 'string');
	const code = textsOf('code', 'httpCode').find(
		(text) => /^E[A-Z_]+$/.test(text) || CERTIFICATE.test(text),
	);
	const isBlocked = textsOf('name').some((name) => name.startsWith('SsrfBlocked'));
	return {
		code,
		notSent: isBlocked ? 'blocked' : whyNotSent(code, textsOf('message', 'messages')),
	};
}

function whyNotSent(code = '', texts: string[]): ConnectionLoss['notSent'] {
	if (CERTIFICATE.test(code)) return 'certificate';
	if (code === 'EPIPE') return 'cutOff';
	// For a host with several addresses, n8n joins the messages of all tries.
	const isBeforeSending = (text: string) =>
		text.split(' | ').every((reason) => BEFORE_SENDING.test(reason));
	return CONNECT_CODES.includes(code) || texts.some(isBeforeSending) ? 'unreachable' : undefined;
}
