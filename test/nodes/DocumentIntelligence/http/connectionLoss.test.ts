import { connectionLoss } from '../../../../nodes/DocumentIntelligence/http/connectionLoss';

/** An error so many times around another. */
function around(inner: object, times: number): object {
	return times === 0
		? inner
		: { name: 'NodeApiError', message: 'outer', cause: around(inner, times - 1) };
}

const own: { cause?: unknown } = {};
own.cause = own;

test.each<[string, unknown, string | undefined, boolean]>([
	[
		'an error of the system',
		Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
		'ECONNREFUSED',
		false,
	],
	['one that n8n 2 wraps', around({ code: 'EAI_AGAIN' }, 1), 'EAI_AGAIN', false],
	['wrapped four times', around({ code: 'ENOTFOUND' }, 4), 'ENOTFOUND', false],
	['wrapped more often than anybody does', around({ code: 'ENOTFOUND' }, 5), undefined, false],
	[
		'what n8n 1 leaves of it',
		{ name: 'NodeApiError', httpCode: 'ECONNREFUSED' },
		'ECONNREFUSED',
		false,
	],
	[
		'an HTTP code',
		{ name: 'NodeApiError', httpCode: '502', cause: { code: 'ECONNRESET' } },
		'ECONNRESET',
		false,
	],
	['a code in small letters', { code: 'econnreset' }, undefined, false],
	['a code that begins otherwise', { code: 'XECONNRESET' }, undefined, false],
	['a code with more behind it', { code: 'ECONNRESET now' }, undefined, false],
	['a code that is a number', { code: 5 }, undefined, false],
	['a request that n8n blocked', around({ name: 'SsrfBlockedIpError' }, 1), undefined, true],
	['one for its name', { name: 'SsrfBlockedHostnameError', code: 'EPERM' }, 'EPERM', true],
	['one with another name', { name: 'NotSsrfBlockedError' }, undefined, false],
	['a name that is no text', { name: 7 }, undefined, false],
	['a cause that is its own', own, undefined, false],
	['a text', 'ECONNREFUSED', undefined, false],
	['nothing', undefined, undefined, false],
	['null', null, undefined, false],
])('%s', (_, thrown, code, blocked) => {
	expect(connectionLoss(thrown)).toEqual({ code, blocked });
});
