import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestHandler } from './http/requestHandler';
import { artifactRoutes } from './routes/artifacts';
import { controlPath, serveControl } from './routes/control';
import { documentRoutes } from './routes/documents';
import { imagePath, serveImage } from './routes/images';
import { jobRoutes } from './routes/jobs';
import { templateRoutes } from './routes/templates';
import { defaultSettings, type Settings } from './settings';
import { Service } from './state/service';

export interface RunningServer {
	url: string;
	close(): Promise<void>;
}

export async function startServer(port: number, chosen: Partial<Settings>): Promise<RunningServer> {
	const folder = await mkdtemp(join(tmpdir(), 'document-service-'));
	const service = new Service({ ...defaultSettings, ...chosen }, folder, () => url);
	const api = new RequestHandler(service, [
		...documentRoutes(service),
		...artifactRoutes(service),
		...jobRoutes(service),
		...templateRoutes(service),
	]);

	const server = createServer((request, response) => {
		const address = new URL(request.url ?? '/', 'http://localhost');
		const served = address.pathname.startsWith(imagePath)
			? serveImage(service, address, request, response)
			: address.pathname.startsWith(controlPath)
				? serveControl(service, address, request, response)
				: api.handle(address, request, response);
		served.catch((error: unknown) => {
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
