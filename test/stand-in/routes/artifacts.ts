import { readFile } from 'node:fs/promises';
import { successEnvelope } from '../http/responses';
import type { Call, Route } from '../http/route';
import { normalize } from '../processing/normalize';
import { onlyFile } from '../http/form';
import { isoTime } from '../state/jobs';
import type { Service } from '../state/service';

/** Stored files, which the API calls artifacts: documents for jobs, and the results of jobs. */
export function artifactRoutes({ artifacts, jobs }: Service): Route[] {
	return [
		{
			method: 'POST',
			path: '/api/v1/artifacts',
			step: 'store',
			body: { keptFileBytes: 10 * 1024 * 1024 },
			sandbox: true,
			fileNames: ({ form }) => form.files.map(({ fileName }) => fileName),
			async respond({ key, form }) {
				const file = onlyFile(form);
				const { fileName, path, sha256 } = file;
				const { contentType, content = await readFile(path) } = await normalize(file);
				const stored = await artifacts.store(key, fileName, contentType, content, sha256);
				const data = {
					reference: stored.reference,
					fileName: stored.fileName,
					contentType: stored.contentType,
					sizeBytes: stored.bytes,
					expiresAt: isoTime(stored.expiresAt),
				};
				return successEnvelope(data, null, 201);
			},
		},
		{
			method: 'GET',
			path: '/api/v1/artifacts/content',
			step: 'fetch',
			sandbox: true,
			fileNames({ key, query }) {
				const artifact = artifacts.find(key, query.get('reference') ?? '');
				return artifact ? [artifact.originalName] : [];
			},
			jobId: ({ key, query }) => jobs.ofResult(key, query.get('reference') ?? ''),
			async respond({ key, query }: Call) {
				const artifact = artifacts.open(key, query.get('reference') ?? '');
				return {
					status: 200,
					headers: {
						'content-type': artifact.contentType,
						'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.originalName)}`,
					},
					body: await artifacts.read(artifact),
				};
			},
		},
	];
}
