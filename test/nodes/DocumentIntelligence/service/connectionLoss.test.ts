import {
	connectionLoss,
	type ConnectionLoss,
} from '../../../../nodes/DocumentIntelligence/service/connectionLoss';

/** An error so many times around another. */
const around = (inner: object, times: number): object =>
	times === 0 ? inner : { name: 'NodeApiError', message: 'x', cause: around(inner, times - 1) };

const own: { cause?: unknown } = {};
own.cause = own;

test.each<[string, unknown, string | undefined, ConnectionLoss['notSent']]>([
	['wrapped four times', around({ code: 'ENOTFOUND' }, 4), 'ENOTFOUND', 'unreachable'],
	['an HTTP code', { httpCode: '502', cause: { code: 'ECONNRESET' } }, 'ECONNRESET', undefined],
	['a request that n8n blocked', around({ name: 'SsrfBlockedIpError' }, 1), undefined, 'blocked'],
	['one for its name', { name: 'SsrfBlockedHostnameError', code: 'EPERM' }, 'EPERM', 'blocked'],
	['a cause that is its own', own, undefined, undefined],
	['nothing', undefined, undefined, undefined],
])('%s', (_, thrown, code, notSent) => {
	expect(connectionLoss(thrown)).toEqual({ code, notSent });
});

/** What n8n 1 throws: the cause is gone, its text and code are kept (seen). */
const fromN8n1 = (message: string, code: string) => ({
	name: 'NodeApiError',
	message: 'The connection failed, perhaps the server is offline',
	httpCode: code,
	messages: [message, message],
});

/** What n8n 2 throws: its own error around axios's around that of Node.js (seen). */
const fromN8n2 = (message: string, code: string) => ({
	...fromN8n1(message, code),
	cause: { name: 'Error', message, code, cause: { message, code } },
});

const TLS = 'error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:x.c:77:\n';

// Messages and codes are those of Node.js 20 and 24 behind both hosts, seen with real sockets.
describe.each([
	['n8n 2', fromN8n2],
	['n8n 1', fromN8n1],
])('What proves that nothing was sent, in an error of %s', (_, from) => {
	test.each<[string, string, ConnectionLoss['notSent']]>([
		['connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED', 'unreachable'],
		['getaddrinfo ENOTFOUND nothing.invalid', 'ENOTFOUND', 'unreachable'],
		[
			'connect ENETUNREACH 192.0.2.1:443 - Local (0.0.0.0:0) | connect EHOSTUNREACH 2001:db8::1:443',
			'ENETUNREACH',
			'unreachable',
		],
		[
			'Client network socket disconnected before secure TLS connection was established',
			'ECONNRESET',
			'unreachable',
		],
		['connect ETIMEDOUT 192.0.2.1:443', 'ETIMEDOUT', 'unreachable'],
		['queryA ETIMEOUT service.example', 'ETIMEOUT', 'unreachable'],
		[`write EPROTO 40CD:${TLS}`, 'EPROTO', 'unreachable'],
		['certificate has expired', 'CERT_HAS_EXPIRED', 'certificate'],
		['self-signed certificate; if the root', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
		[
			"Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
			'ERR_TLS_CERT_ALTNAME_INVALID',
			'certificate',
		],
		// Any of these may come after the whole upload.
		['read ETIMEDOUT', 'ETIMEDOUT', undefined],
		['read ECONNRESET', 'ECONNRESET', undefined],
		['socket hang up', 'ECONNRESET', undefined],
		['timeout of 300000ms exceeded', 'ECONNABORTED', undefined],
		['canceled', 'ERR_CANCELED', undefined],
		[`808C:${TLS}`, 'ERR_SSL_WRONG_VERSION_NUMBER', undefined],
		['connect ETIMEDOUT 192.0.2.1:443 | read ETIMEDOUT', 'ETIMEDOUT', undefined],
		// Where the text is lost, only what cannot come from anything but a connect counts.
		['', 'ETIMEDOUT', undefined],
		['', 'EHOSTUNREACH', undefined],
		['', 'ECONNREFUSED', 'unreachable'],
	])('%s (%s): %s', (message, code, notSent) => {
		expect(connectionLoss(from(message, code)).notSent).toBe(notSent);
	});
});
