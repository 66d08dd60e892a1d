import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Fault } from '../faults/faults';
import type { Step } from '../http/route';
import { HttpError, jsonResponse, send, type ServiceResponse } from '../http/responses';
import { addOtherJobs, endJobs, type Ending, type OtherJob } from '../processing/otherJobs';
import type { Settings } from '../settings';
import type { ListChange } from '../state/jobViews';
import type { Records } from '../state/records';
import type { Service } from '../state/service';

/** What tests ask of the stand-in itself; the service that it stands in for has none of it. */
export const controlPath = '/_stand-in/';

export async function serveControl(
	service: Service,
	{ pathname }: URL,
	request: IncomingMessage,
	response: ServerResponse,
) {
	const command = commands[`${request.method} ${pathname.slice(controlPath.length)}`];
	try {
		if (!command) throw new HttpError(404, 'NOT_FOUND', `There is no control "${pathname}".`);
		const body = await text(request);
		const result = await command(service, (body === '' ? {} : JSON.parse(body)) as never);
		send(response, result === undefined ? done : jsonResponse(200, result));
	} catch (error) {
		if (!(error instanceof HttpError)) throw error;
		send(response, jsonResponse(error.status, { message: error.message }));
	}
}

const done: ServiceResponse = { status: 204, headers: {}, body: Buffer.alloc(0) };

/** By method and path. What a command returns is its response. */
const commands: Record<string, (service: Service, body: never) => unknown> = {
	'GET requests': ({ records }) => records.all(),
	async 'GET charges'({ jobs, charges }) {
		await jobs.settle();
		return charges;
	},
	'GET violations': ({ violations }) => violations,
	'GET figures': ({ records }) => figures(records),
	'GET result-fetches': ({ records }) => resultFetches(records),
	'POST settings': (service, changes: Partial<Settings>) => service.configure(changes),
	'POST clock': (service, { advanceMs }: { advanceMs: number }) => service.advanceClock(advanceMs),
	'POST faults': (service, { faults, step }: { faults: Array<Fault | null>; step?: Step }) =>
		service.faults.add(faults, step),
	'POST faults/clear': (service, { step }: { step?: Step }) => service.faults.clear(step),
	'POST jobs': async (service, { key, jobs }: { key: string; jobs: OtherJob[] }) =>
		await addOtherJobs(service, key, jobs),
	'POST jobs/end': (
		service,
		{ key, jobIds, ending = {} }: { key: string; jobIds: string[]; ending?: Ending },
	) => endJobs(service, key, jobIds, ending),
	'POST jobs/list': (service, { key, changes }: { key: string; changes: ListChange[] }) =>
		service.jobViews.changeLists(key, changes),
	'POST reset': async (service) => await service.reset(),
};

export interface ResultFetches {
	requests: number;
}

function figures(records: Records) {
	const rows = records.all().filter(({ kind }) => kind === 'api');
	return {
		requests: rows.length,
		refused: rows.filter(({ refused }) => refused).length,
		maxConcurrent: records.maxConcurrent,
	};
}

/** How often the result of each job was asked for. */
function resultFetches(records: Records): Record<string, ResultFetches> {
	const byJob: Record<string, ResultFetches> = {};
	for (const { step, jobId } of records.all()) {
		if (step !== 'fetch' || jobId === null) continue;
		(byJob[jobId] ??= { requests: 0 }).requests += 1;
	}
	return byJob;
}
