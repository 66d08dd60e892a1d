import type { UploadedForm } from '../http/form';
import { successEnvelope } from '../http/responses';
import type { Route } from '../http/route';
import {
	classify,
	crop,
	extract,
	matchFaces,
	readWithoutTemplate,
	split,
	type ProcessingResult,
} from '../processing/operations';
import { directCharge } from '../state/charges';
import type { Service } from '../state/service';

/** `POST /Document/*`: a document in, its result in the same response. */
export function documentRoutes(service: Service): Route[] {
	return operations.map(({ path, keptMegabytes = 10, run }) => ({
		method: 'POST',
		path,
		step: 'process',
		body: { keptFileBytes: keptMegabytes * 1024 * 1024 },
		sandbox: false,
		fileNames: ({ form }) => form.files.map(({ fileName }) => fileName),
		async respond({ form, record }) {
			const { data, creditsConsumed } = await run(form, service);
			service.charges.push(directCharge(service.now(), creditsConsumed, form, record));
			return successEnvelope(data, creditsConsumed);
		},
	}));
}

interface Operation {
	path: string;
	/** How much is kept of a file: as much as the contract allows one to be. */
	keptMegabytes?: number;
	run: (form: UploadedForm, service: Service) => Promise<ProcessingResult>;
}

const operations: Operation[] = [
	{ path: '/Document/extraction', run: extract },
	{ path: '/Document/classifier', run: classify },
	{ path: '/Document/zero-shot', run: readWithoutTemplate },
	{ path: '/Document/crop', run: crop },
	{ path: '/Document/split', keptMegabytes: 500, run: split },
	{ path: '/Document/facematch', run: matchFaces },
];
