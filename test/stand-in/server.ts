import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestHandler } from './http/requestHandler';
import { send } from './http/responses';
import { artifactRoutes } from './routes/artifacts';
import { controlPath, serveControl } from './routes/control';
import { documentRoutes } from './routes/documents';
import { jobRoutes } from './routes/jobs';
import { templateRoutes } from './routes/templates';
import { defaultSettings, type Settings } from './settings';
import { IMAGES } from './state/signedImages';
import { Service } from './state/service';

export interface RunningServer {
	url: string;
	close(): Promise<void>;
}

export async function startServer(port: number, chosen: Partial<Settings>): Promise<RunningServer> {
	const folder = await mkdtemp(join(tmpdir(), 'document-service-'));
	const settings = { ...defaultSettings, ...chosen };
	const begin = async () => {
		const own = await mkdtemp(join(folder, 'service-'));
		const service = new Service(settings, own, () => url, reset);
		const routes = [documentRoutes, artifactRoutes, jobRoutes, templateRoutes];
		const api = new RequestHandler(
			service,
			routes.flatMap((of) => of(service)),
		);
		return { service, api };
	};
	let current = await begin();
	async function reset() {
		const { service } = current;
		current = await begin();
		await service.end();
	}

	async function serve(request: IncomingMessage, response: ServerResponse) {
		const { service, api } = current;
		const address = new URL(request.url ?? '/', 'http://localhost');
		const { pathname, searchParams } = address;
		if (pathname.startsWith(IMAGES)) {
			// No API key, no fault and no rate limit concerns them.
			service.records.begin('image', address, request, response);
			// Its response ends when the request has been read.
			request.resume();
			send(response, service.images.fetch(pathname.slice(IMAGES.length), searchParams));
		} else if (pathname.startsWith(controlPath)) {
			await serveControl(service, address, request, response);
		} else {
			await api.handle(address, request, response);
		}
	}

	const server = createServer((request, response) => {
		serve(request, response).catch((error: unknown) => {
			console.error(error);
			response.destroy();
		});
	});

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
