import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedFile } from '../http/form';
import { HttpError } from '../http/responses';

/** A stored file: an uploaded document, or the result of a job. */
export interface Artifact {
	reference: string;
	/** The API key that it belongs to. */
	owner: string;
	fileName: string;
	contentType: string;
	bytes: number;
	sha256: string;
	/** On disk. */
	path: string;
	expiresAt: number;
}

/** Stored files and jobs are kept for this long. */
export const KEPT_MS = 7 * 24 * 60 * 60_000;

export class Artifacts {
	private readonly byReference = new Map<string, Artifact>();

	constructor(
		private readonly folder: string,
		private readonly now: () => number,
	) {}

	/** Takes the uploaded file over: it is no longer where the form has it. */
	async storeUpload(owner: string, file: UploadedFile): Promise<Artifact> {
		const path = this.newPath();
		await rename(file.path, path);
		const { fileName, contentType, bytes, sha256 } = file;
		return this.add({ owner, fileName, contentType, bytes, sha256, path });
	}

	async storeBytes(
		owner: string,
		fileName: string,
		contentType: string,
		content: Buffer,
	): Promise<Artifact> {
		const path = this.newPath();
		await writeFile(path, content);
		const sha256 = createHash('sha256').update(content).digest('hex');
		return this.add({ owner, fileName, contentType, bytes: content.length, sha256, path });
	}

	/** A reference that cannot be read is rejected in the way that the contract gives for each reason. */
	open(owner: string, reference: string): Artifact {
		const artifact = this.byReference.get(reference);
		if (!artifact)
			throw new HttpError(404, 'artifact_not_found', `There is no stored file "${reference}".`);
		if (artifact.owner !== owner)
			throw new HttpError(
				400,
				'artifact_not_readable',
				'The stored file cannot be read with this API key.',
			);
		if (this.now() >= artifact.expiresAt)
			throw new HttpError(410, 'artifact_expired', 'The stored file has expired.');
		return artifact;
	}

	/** Undefined where `open` rejects. */
	find(owner: string, reference: string): Artifact | undefined {
		const artifact = this.byReference.get(reference);
		return artifact?.owner === owner ? artifact : undefined;
	}

	async read({ path }: Artifact): Promise<Buffer> {
		return await readFile(path);
	}

	async clear() {
		const artifacts = [...this.byReference.values()];
		this.byReference.clear();
		await Promise.all(artifacts.map(async ({ path }) => await rm(path, { force: true })));
	}

	private newPath(): string {
		return join(this.folder, `artifact-${randomUUID()}`);
	}

	private add(stored: Omit<Artifact, 'reference' | 'expiresAt'>): Artifact {
		// With a slash inside, so that a client that does not encode it is noticed.
		const reference = `artifact://stored/${randomUUID()}`;
		const artifact = { ...stored, reference, expiresAt: this.now() + KEPT_MS };
		this.byReference.set(reference, artifact);
		return artifact;
	}
}
