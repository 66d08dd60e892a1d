import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A server that is not the service. It responds with JSON and records its requests. */
export interface Receiver {
	/** With another host name than the stand-in, so it counts as another host. */
	url: string;
	/** With the stand-in's host name, on another port. */
	sameHostUrl: string;
	received: Array<{ path: string; headers: IncomingHttpHeaders }>;
	stop(): Promise<void>;
}

export interface ReceiverOptions {
	/** If set, the server uses HTTPS. */
	certificate?: { key: string; cert: string };
	/** Status and headers by path; other paths return 200. */
	answers?: Record<string, { status: number; headers?: Record<string, string> }>;
}

export async function startReceiver({
	certificate,
	answers = {},
}: ReceiverOptions = {}): Promise<Receiver> {
	const received: Receiver['received'] = [];
	const listener: RequestListener = (request, response) => {
		const path = request.url ?? '';
		received.push({ path, headers: request.headers });
		request.resume();
		request.once('end', () => {
			const { status = 200, headers = {} } = answers[path] ?? {};
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end('{"hello":true}');
		});
	};
	const server =
		certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
	await new Promise<void>((resolve) => server.listen(0, resolve));
	const { port } = server.address() as AddressInfo;
	const scheme = certificate === undefined ? 'http' : 'https';
	return {
		url: `${scheme}://localhost:${port}`,
		sameHostUrl: `${scheme}://127.0.0.1:${port}`,
		received,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
