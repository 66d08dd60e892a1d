import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonResponse, type ServiceResponse } from '../http/responses';

/** Cropped images, offered for a short while at signed addresses that need no API key. */
export class SignedImages {
	private readonly secret = randomBytes(32);
	private readonly contentTypes = new Map<string, string>();

	constructor(
		private readonly folder: string,
		private readonly origin: () => string,
		private readonly now: () => number,
		private readonly lifetimeMs: () => number,
	) {}

	async offer(image: Buffer, contentType: string): Promise<string> {
		const id = randomUUID();
		await writeFile(join(this.folder, `image-${id}`), image);
		this.contentTypes.set(id, contentType);
		const expires = String(this.now() + this.lifetimeMs());
		return `${this.origin()}/_stand-in/images/${id}?expires=${expires}&signature=${this.sign(id, expires)}`;
	}

	async fetch(id: string, query: URLSearchParams): Promise<ServiceResponse> {
		const expires = query.get('expires') ?? '';
		if (!same(query.get('signature') ?? '', this.sign(id, expires)))
			return forbidden('The signature does not fit this address.');
		if (this.now() >= Number(expires)) return forbidden('The address has expired.');
		const contentType = this.contentTypes.get(id);
		if (contentType === undefined) return jsonResponse(404, { message: 'No such image.' });
		return {
			status: 200,
			headers: { 'content-type': contentType },
			body: await readFile(join(this.folder, `image-${id}`)),
		};
	}

	private sign(id: string, expires: string): string {
		return createHmac('sha256', this.secret).update(`${id}\n${expires}`).digest('hex');
	}
}

function same(given: string, expected: string): boolean {
	return (
		given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
	);
}

function forbidden(message: string): ServiceResponse {
	return jsonResponse(403, { message });
}
