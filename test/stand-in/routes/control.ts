import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Fault } from '../faults/faults';
import type { Step } from '../http/route';
import { HttpError, jsonResponse, send } from '../http/responses';
import { addOtherJobs, endJobs, type Ending, type OtherJob } from '../processing/otherJobs';
import type { Settings } from '../settings';
import type { ListChange } from '../state/jobViews';
import type { Service } from '../state/service';

/** What tests ask of the stand-in itself; the service that it stands in for has none of it. */
export const controlPath = '/_stand-in/';

/** `POST /_stand-in/<command>` with the list of what a command takes. */
export async function serveControl(
	service: Service,
	{ pathname }: URL,
	request: IncomingMessage,
	response: ServerResponse,
) {
	const name = pathname.slice(controlPath.length);
	const command = (commands as Record<string, (...given: unknown[]) => unknown>)[name];
	try {
		if (!command) throw new HttpError(404, 'NOT_FOUND', `There is no control "${name}".`);
		// What is left out is null in a list of JSON.
		const given = ((await json(request)) as unknown[]).map((one) => one ?? undefined);
		send(response, jsonResponse(200, { result: await command(service, ...given) }));
	} catch (error) {
		if (!(error instanceof HttpError)) throw error;
		send(response, jsonResponse(error.status, { message: error.message }));
	}
}

export type Commands = typeof commands;

const commands = {
	requests: ({ records }: Service) => records.all(),
	async charges({ jobs, charges }: Service) {
		await jobs.settle();
		return charges;
	},
	violations: ({ violations }: Service) => violations,
	figures({ records }: Service) {
		const rows = records.all().filter(({ kind }) => kind === 'api');
		const refused = rows.filter((row) => row.refused).length;
		return { requests: rows.length, refused, maxConcurrent: records.maxConcurrent };
	},
	resultFetches({ records }: Service) {
		const byJob: Record<string, { requests: number }> = {};
		for (const { step, jobId } of records.all())
			if (step === 'fetch' && jobId !== null) (byJob[jobId] ??= { requests: 0 }).requests += 1;
		return byJob;
	},
	configure: (service: Service, changes: Partial<Settings>) => service.configure(changes),
	advanceClock: (service: Service, ms: number) => service.advanceClock(ms),
	answerNow: (service: Service) => service.answerNow(),
	queueFaults: ({ faults }: Service, queued: Array<Fault | null>, step?: Step) =>
		faults.add(queued, step),
	clearFaults: ({ faults }: Service, step?: Step) => faults.clear(step),
	addJobs: async (service: Service, key: string, jobs: OtherJob[]) =>
		await addOtherJobs(service, key, jobs),
	endJobs: (service: Service, key: string, jobIds: string[], ending: Ending = {}) =>
		endJobs(service, key, jobIds, ending),
	changeLists: ({ jobViews }: Service, key: string, changes: ListChange[]) =>
		jobViews.changeLists(key, changes),
	reset: async (service: Service) => await service.reset(),
};
