import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a request for a file is answered with; anything else is done on the response itself. */
export type Served =
	| { status?: number; headers?: Record<string, string>; body?: string | Buffer }
	| ((response: ServerResponse) => void | Promise<void>);

export interface FileServer {
	url: string;
	/** Answers by path. */
	serve(path: string, served: Served): string;
	seen: Array<{ url: string; headers: IncomingHttpHeaders }>;
	/** Connections that are open now, and the most that ever were at the same moment. */
	connections(): { open: number; most: number };
	close(): void;
}

/** Somebody's file server on the loopback interface: what stands behind the links of users. */
export async function startFileServer(): Promise<FileServer> {
	const routes = new Map<string, Served>();
	const seen: FileServer['seen'] = [];
	const sockets = new Set<Socket>();
	let most = 0;
	const open = () => [...sockets].filter(({ closed }) => !closed).length;
	const server = createServer((request, response) => {
		seen.push({ url: request.url ?? '', headers: request.headers });
		const served = routes.get(new URL(request.url ?? '', 'http://localhost').pathname) ?? {
			status: 404,
			body: 'Not here',
		};
		if (typeof served === 'function') {
			void served(response);
			return;
		}
		const { status = 200, headers = {}, body = '' } = served;
		response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
		response.end(body);
	});
	server.on('connection', (socket) => {
		sockets.add(socket);
		most = Math.max(most, open());
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		serve(path, served) {
			routes.set(new URL(path, url).pathname, served);
			return url + path;
		},
		seen,
		connections: () => ({ open: open(), most }),
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
