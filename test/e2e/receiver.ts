import { createServer, type IncomingHttpHeaders } from 'node:http';
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

export async function startReceiver(): Promise<Receiver> {
	const received: Receiver['received'] = [];
	const server = createServer((request, response) => {
		received.push({ path: request.url ?? '', headers: request.headers });
		request.resume();
		request.once('end', () => response.end('{"hello":true}'));
	});
	await new Promise<void>((resolve) => server.listen(0, resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://localhost:${port}`,
		sameHostUrl: `http://127.0.0.1:${port}`,
		received,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
