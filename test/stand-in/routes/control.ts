import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isFaultKind, type Fault } from '../faults/faults';
import { jsonResponse, send, type ServiceResponse } from '../http/responses';
import type { Settings } from '../settings';
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
	send(response, runCommand(service, command, await text(request)));
}

function runCommand(service: Service, command: string, body: string): ServiceResponse {
	switch (command) {
		case 'GET requests':
			return jsonResponse(200, service.records.all());
		case 'GET figures':
			return jsonResponse(200, figures(service.records));
		case 'POST settings':
			service.configure(JSON.parse(body) as Partial<Settings>);
			return done;
		case 'POST faults': {
			const faults = JSON.parse(body) as Array<Fault | null>;
			const unknown = faults.find((fault) => fault && !isFaultKind(fault.kind));
			if (unknown) return jsonResponse(400, { message: `There is no fault "${unknown.kind}".` });
			service.faults.add(faults);
			return done;
		}
		case 'POST reset':
			service.reset();
			return done;
		default:
			return jsonResponse(404, { message: `There is no control "${command}".` });
	}
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
