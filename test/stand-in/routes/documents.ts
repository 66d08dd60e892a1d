import { successEnvelope } from '../http/responses';
import type { Route } from '../http/route';
import { operations } from '../processing/operations';
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
