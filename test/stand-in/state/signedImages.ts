import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonResponse, type ServiceResponse } from '../http/responses';

interface Image {
	contentType: string;
	path: string;
	signature: string;
	expires: number;
}

/** Cropped images, offered for a short while at addresses that need no API key but what follows their question mark. */
export class SignedImages {
	private readonly images = new Map<string, Image>();

	constructor(
		private readonly folder: string,
		private readonly origin: () => string,
		private readonly now: () => number,
		private readonly lifetimeMs: () => number,
	) {}

	async offer(content: Buffer, contentType: string): Promise<string> {
		const [id, signature] = [randomUUID(), randomUUID()];
		const path = join(this.folder, `image-${id}`);
		await writeFile(path, content);
		const expires = this.now() + this.lifetimeMs();
		this.images.set(id, { contentType, path, signature, expires });
		return `${this.origin()}/_stand-in/images/${id}?signature=${signature}`;
	}

	async fetch(id: string, query: URLSearchParams): Promise<ServiceResponse> {
		const image = this.images.get(id);
		if (image?.signature !== query.get('signature'))
			return jsonResponse(403, { message: 'The signature does not fit this address.' });
		if (this.now() >= image.expires)
			return jsonResponse(403, { message: 'The address has expired.' });
		const headers = { 'content-type': image.contentType };
		return { status: 200, headers, body: await readFile(image.path) };
	}
}
