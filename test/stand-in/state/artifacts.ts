import { createHash, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { HttpError } from '../http/responses';

/** A stored file: an uploaded document, or the result of a job. */
export interface Artifact {
	reference: string;
	/** The API key that it belongs to. */
	owner: string;
	/** As it is stored: with its extension, and without what an address does not take. */
	fileName: string;
	/** As it was sent. */
	originalName: string;
	contentType: string;
	bytes: number;
	/** Of the stored bytes. */
	sha256: string;
	/** Of what was sent, by which charges know a document. */
	sentSha256: string;
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
		private readonly unreadableStatus: () => 400 | 404,
	) {}

	/** @param sentSha256 of what was sent, if that was converted */
	async store(
		owner: string,
		originalName: string,
		contentType: string,
		content: Buffer,
		sentSha256?: string,
	): Promise<Artifact> {
		const id = randomUUID();
		const sha256 = createHash('sha256').update(content).digest('hex');
		const artifact: Artifact = {
			...{ owner, originalName, contentType, sha256, sentSha256: sentSha256 ?? sha256 },
			fileName: storedName(originalName),
			bytes: content.length,
			// With a slash inside, so that a client that does not encode it is noticed.
			reference: `artifact://stored/${id}`,
			path: join(this.folder, `artifact-${id}`),
			expiresAt: this.now() + KEPT_MS,
		};
		this.byReference.set(artifact.reference, artifact);
		await writeFile(artifact.path, content);
		return artifact;
	}

	/** Whether a reference is unknown or another account's, the answer does not tell. */
	open(owner: string, reference: string): Artifact {
		const artifact = this.find(owner, reference);
		if (!artifact)
			throw new HttpError(
				this.unreadableStatus(),
				'artifact_not_found',
				'There is no stored file with this reference in this account.',
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
}

const MAX_NAME_LENGTH = 100;

/** The name without its extension is cut, and what an address does not take is replaced. */
function storedName(name: string): string {
	const safe = name.replace(/[^A-Za-z0-9._-]/g, '_');
	const extension = extname(safe);
	const stem = safe.slice(0, safe.length - extension.length);
	return stem.slice(0, MAX_NAME_LENGTH - extension.length) + extension;
}
