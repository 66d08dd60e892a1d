/** A content type in lower case and without its parameters, as in `application/pdf; name=x`; empty when it is none. */
export function plainMimeType(contentType = ''): string {
	const plain = contentType.replace(/;[^]*/, '').trim().toLowerCase();
	return /^[\w+-]+\/[\w.+-]{1,100}$/.test(plain) ? plain : '';
}
