import { randomUUID } from 'node:crypto';
import { jsonResponse, type ServiceResponse } from '../http/responses';

/** Where they are. */
export const IMAGES = '/_stand-in/images/';

interface Image {
	contentType: string;
	content: Buffer;
	signature: string;
	expires: number;
}

/** Cropped images, offered for a short while at addresses that need no API key but what follows their question mark. */
export class SignedImages {
	private readonly images = new Map<string, Image>();

	constructor(
		private readonly origin: () => string,
		private readonly now: () => number,
		private readonly lifetimeMs: () => number,
	) {}

	offer(content: Buffer, contentType: string): string {
		const [id, signature] = [randomUUID(), randomUUID()];
		const expires = this.now() + this.lifetimeMs();
		this.images.set(id, { contentType, content, signature, expires });
		return `${this.origin()}${IMAGES}${id}?signature=${signature}`;
	}

	fetch(id: string, query: URLSearchParams): ServiceResponse {
		const image = this.images.get(id);
		if (image?.signature !== query.get('signature'))
			return jsonResponse(403, { message: 'The signature does not fit this address.' });
		if (this.now() >= image.expires)
			return jsonResponse(403, { message: 'The address has expired.' });
		return { status: 200, headers: { 'content-type': image.contentType }, body: image.content };
	}
}
