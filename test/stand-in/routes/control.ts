import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isFaultKind, type Fault } from '../faults/faults';
import { steps, type Step } from '../http/route';
import { HttpError, jsonResponse, send, type ServiceResponse } from '../http/responses';
import {
	addOtherJobs,
	endJobs,
	lacksResult,
	type Ending,
	type OtherJob,
} from '../processing/otherJobs';
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
	const command = `${request.method} ${pathname.slice(controlPath.length)}`;
	send(
		response,
		await runCommand(service, command, await text(request)).catch((error: unknown) => {
			if (error instanceof HttpError) return jsonResponse(error.status, { message: error.message });
			throw error;
		}),
	);
}

async function runCommand(
	service: Service,
	command: string,
	body: string,
): Promise<ServiceResponse> {
	switch (command) {
		case 'GET requests':
			return jsonResponse(200, service.records.all());
		case 'GET charges':
			await service.jobs.settle();
			return jsonResponse(200, service.charges.all());
		case 'GET violations':
			return jsonResponse(200, service.violations.all());
		case 'GET figures':
			return jsonResponse(200, figures(service.records));
		case 'GET result-fetches':
			return jsonResponse(200, resultFetches(service.records));
		case 'POST settings':
			service.configure(JSON.parse(body) as Partial<Settings>);
			return done;
		case 'POST clock':
			service.advanceClock((JSON.parse(body) as { advanceMs: number }).advanceMs);
			return done;
		case 'POST faults': {
			const { faults, step } = JSON.parse(body) as { faults: Array<Fault | null>; step?: Step };
			const unknown = faults.find((fault) => fault && !isFaultKind(fault.kind));
			if (unknown) return jsonResponse(400, { message: `There is no fault "${unknown.kind}".` });
			if (step !== undefined && !steps.includes(step))
				return jsonResponse(400, { message: `There is no step "${String(step)}".` });
			service.faults.add(faults, step);
			return done;
		}
		case 'POST faults/clear':
			service.faults.clear((JSON.parse(body) as { step?: Step }).step);
			return done;
		case 'POST jobs': {
			const { key, jobs } = JSON.parse(body) as { key: string; jobs: OtherJob[] };
			if (jobs.some(lacksResult))
				return jsonResponse(400, { message: 'A job that succeeded needs a file or a result.' });
			return jsonResponse(200, await addOtherJobs(service, key, jobs));
		}
		case 'POST jobs/end': {
			const { key, jobIds, ending } = JSON.parse(body) as {
				key: string;
				jobIds: string[];
				ending?: Ending;
			};
			endJobs(service, key, jobIds, ending ?? {});
			return done;
		}
		case 'POST jobs/list': {
			const { key, changes } = JSON.parse(body) as { key: string; changes: ListChange[] };
			service.jobViews.changeLists(key, changes);
			return done;
		}
		case 'POST reset':
			await service.reset();
			return done;
		default:
			return jsonResponse(404, { message: `There is no control "${command}".` });
	}
}

export interface ResultFetches {
	requests: number;
	/** Without a fault, and read to the end by the client. */
	served: number;
}

const done: ServiceResponse = { status: 204, headers: {}, body: Buffer.alloc(0) };

function figures(records: Records) {
	const rows = records.all().filter(({ kind }) => kind === 'api');
	return {
		requests: rows.length,
		refused: rows.filter(({ refused }) => refused).length,
		maxConcurrent: records.maxConcurrent,
		peakRssBytes: process.resourceUsage().maxRSS * 1024,
	};
}

/** How often the result of each job was asked for, and how often it was given whole. */
function resultFetches(records: Records): Record<string, ResultFetches> {
	const byJob: Record<string, ResultFetches> = {};
	for (const { step, jobId, status, fault, aborted } of records.all()) {
		if (step !== 'fetch' || jobId === null) continue;
		const counts = (byJob[jobId] ??= { requests: 0, served: 0 });
		counts.requests += 1;
		if (status === 200 && fault === null && !aborted) counts.served += 1;
	}
	return byJob;
}
