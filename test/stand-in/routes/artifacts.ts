import { checkForm, ONE_FILE } from '../http/form';
import { HttpError, successEnvelope } from '../http/responses';
import type { Call, Route } from '../http/route';
import { isoTime } from '../state/jobs';
import type { Service } from '../state/service';

/** Stored files, which the API calls artifacts: documents for jobs, and the results of jobs. */
export function artifactRoutes({ artifacts, jobs }: Service): Route[] {
	return [
		{
			method: 'POST',
			path: '/api/v1/artifacts',
			step: 'store',
			body: ONE_FILE,
			sandbox: true,
			fileNames: ({ form }) => form.files.map(({ fileName }) => fileName),
			async respond({ key, form }) {
				checkForm(ONE_FILE, form);
				const [file] = form.files;
				if (!file) throw new HttpError(400, 'FILE_REQUIRED', 'A file is required.');
				const stored = await artifacts.storeUpload(key, file);
				const data = {
					reference: stored.reference,
					fileName: stored.fileName,
					contentType: stored.contentType,
					sizeBytes: stored.bytes,
					expiresAt: isoTime(stored.expiresAt),
				};
				return successEnvelope(data, null, [], 201);
			},
		},
		{
			method: 'GET',
			path: '/api/v1/artifacts/content',
			step: 'fetch',
			body: 'none',
			sandbox: true,
			fileNames({ key, query }) {
				const artifact = artifacts.find(key, query.get('reference') ?? '');
				return artifact ? [artifact.fileName] : [];
			},
			jobId: ({ key, query }) => jobs.ofResult(key, query.get('reference') ?? ''),
			async respond({ key, query }: Call) {
				const reference = query.get('reference');
				if (!reference)
					throw new HttpError(400, 'reference_required', 'The parameter "reference" is required.', {
						field: 'reference',
					});
				const artifact = artifacts.open(key, reference);
				return {
					status: 200,
					headers: {
						'content-type': artifact.contentType,
						'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.fileName)}`,
					},
					body: await artifacts.read(artifact),
				};
			},
		},
	];
}
