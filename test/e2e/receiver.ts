import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A server that is not the service. It says hello, and remembers what it was sent. */
export interface Receiver {
	/** By a name other than the stand-in's, so it counts as another host. */
	url: string;
	/** At the stand-in's host, on another port. */
	sameHostUrl: string;
	received: Array<{ path: string; headers: IncomingHttpHeaders }>;
	stop(): Promise<void>;
}

export interface ReceiverOptions {
	/** With it the server speaks https. */
	certificate?: { key: string; cert: string };
	/** Paths that are not answered with 200, and the status and headers that they get. */
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
