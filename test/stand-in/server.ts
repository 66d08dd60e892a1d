import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { jsonAnswer, send } from './answers';
import { Api } from './api';
import { isFaultKind, type Fault } from './faults';
import { SignedImages } from './images';
import { Records } from './records';
import { startSettings, type Settings } from './settings';

export interface RunningServer {
	url: string;
	close(): Promise<void>;
}

const controlPath = '/_stand-in/';
const imagePath = `${controlPath}images/`;

export async function startServer(port: number, chosen: Partial<Settings>): Promise<RunningServer> {
	const folder = await mkdtemp(join(tmpdir(), 'document-service-'));
	const atStart: Settings = { ...startSettings, ...chosen };
	let settings = atStart;

	const records = new Records();
	const images = new SignedImages(
		folder,
		() => url,
		() => api.now(),
		() => settings.imageLifetimeMs,
	);
	const api: Api = new Api(() => settings, records, images, folder);

	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
		route(pathname, searchParams, request, response).catch((error: unknown) => {
			console.error(error);
			response.destroy();
		});
	});

	async function route(
		path: string,
		query: URLSearchParams,
		request: IncomingMessage,
		response: ServerResponse,
	) {
		if (path.startsWith(imagePath)) {
			records.begin('image', path, request, response, 0);
			return send(response, await images.fetch(path.slice(imagePath.length), query));
		}
		if (path.startsWith(controlPath))
			return await control(
				`${request.method} ${path.slice(controlPath.length)}`,
				request,
				response,
			);
		return await api.handle(path, request, response);
	}

	async function control(command: string, request: IncomingMessage, response: ServerResponse) {
		const body = await text(request);
		switch (command) {
			case 'GET requests':
				return send(response, jsonAnswer(200, records.all()));
			case 'GET figures':
				return send(response, jsonAnswer(200, figures(records)));
			case 'POST settings':
				settings = { ...settings, ...(JSON.parse(body) as Partial<Settings>) };
				api.reseed();
				break;
			case 'POST faults': {
				const faults = JSON.parse(body) as Array<Fault | null>;
				const stranger = faults.find((fault) => fault && !isFaultKind(fault.kind));
				if (stranger)
					return send(
						response,
						jsonAnswer(400, { message: `There is no fault "${stranger.kind}".` }),
					);
				api.faults.add(faults);
				break;
			}
			case 'POST reset':
				settings = atStart;
				records.clear();
				api.startAgain();
				break;
			default:
				return send(response, jsonAnswer(404, { message: `There is no control "${command}".` }));
		}
		response.writeHead(204).end();
	}

	// Idle connections outlive any test; a connection closed under a client that is about to use it is a fault to be asked for.
	server.keepAliveTimeout = 10 * 60_000;
	server.requestTimeout = 0;
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	return {
		url,
		async close() {
			server.close();
			server.closeAllConnections();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function figures(records: Records) {
	const rows = records.all().filter(({ kind }) => kind === 'api');
	return {
		requests: rows.length,
		refused: rows.filter(({ refused }) => refused).length,
		maxConcurrent: records.maxConcurrent,
		peakRssBytes: process.resourceUsage().maxRSS * 1024,
	};
}
