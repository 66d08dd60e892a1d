import { createPrivateKey, X509Certificate } from 'node:crypto';

// For localhost and 127.0.0.1, signed by itself, until 2126. Made for these tests with openssl; good for nothing else.
const PRIVATE_KEY =
	'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPl4n5ADDjH8XeY7XEoUH+YuC4htyPKyuFSxyT3PX' +
	'mwihRANCAAQvLXRI/yFOjrxWgJ7mVHZNZbbPVFgBUFtATJwHRfE1dSPQZU5Dbimf+Wo832UvbvC6Na3N9ath3K5f' +
	'cW7iNcyi';
const CERTIFICATE =
	'MIIBmjCCAUGgAwIBAgIUWIT+oIMkkvdIvq8vHj/WAqMPOnQwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxo' +
	'b3N0MCAXDTI2MTEyMTIwNTgxNloYDzIxMjYxMDI4MjA1ODE2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcq' +
	'hkjOPQIBBggqhkjOPQMBBwNCAAQvLXRI/yFOjrxWgJ7mVHZNZbbPVFgBUFtATJwHRfE1dSPQZU5Dbimf+Wo832Uv' +
	'bvC6Na3N9ath3K5fcW7iNcyio28wbTAdBgNVHQ4EFgQU6FitlM05E5SFlWAjDZu4WHGIXsowHwYDVR0jBBgwFoAU' +
	'6FitlM05E5SFlWAjDZu4WHGIXsowDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEw' +
	'CgYIKoZIzj0EAwIDRwAwRAIgfej86VSHVgLAhM6I0YKItHY0eiqeHKur6AdcOJive/wCIA8jg93kQcW2NwFvcwdv' +
	'1154vwTPTrZ13mHspzp6aLY7';

/** A key and a certificate for loopback, both as PEM, that nobody has reason to trust. */
export const UNTRUSTED = {
	key: createPrivateKey({
		key: Buffer.from(PRIVATE_KEY, 'base64'),
		format: 'der',
		type: 'pkcs8',
	})
		.export({ type: 'pkcs8', format: 'pem' })
		.toString(),
	cert: new X509Certificate(Buffer.from(CERTIFICATE, 'base64')).toString(),
};
