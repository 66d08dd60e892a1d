import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a request is answered with; anything else is done on the response itself. */
export type Scripted =
	| { status?: number; headers?: Record<string, string>; body?: string | Buffer }
	| ((response: ServerResponse) => void | Promise<void>);

interface Received {
	method: string;
	url: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

interface Start {
	/** For every path that has no answer of its own. */
	otherwise?: Scripted;
	/** Key and certificate as PEM: it speaks HTTPS. */
	tls?: { key: string; cert: string };
}

export type ScriptedServer = Awaited<ReturnType<typeof startScriptedServer>>;

/**
 * A server on loopback that answers as a test says, and counts what arrives: Cogneris where a test needs an answer that
 * the stand-in cannot give, or somebody's file server behind a link.
 */
export async function startScriptedServer({
	otherwise = { status: 404, body: 'Not here' },
	tls,
}: Start = {}) {
	const answers = new Map<string, Scripted>();
	const received: Received[] = [];
	const sockets = new Set<Socket>();
	let most = 0;
	const open = () => [...sockets].filter(({ closed }) => !closed).length;
	const server = tls ? createSecureServer(tls) : createServer();
	server.on('request', (request, response) => {
		const { method = '', url: path = '', headers } = request;
		const answer = async () => {
			received.push({ method, url: path, headers, body: await buffer(request) });
			const scripted = answers.get(new URL(path, 'http://localhost').pathname) ?? otherwise;
			if (typeof scripted === 'function') return await scripted(response);
			const { status = 200, headers: own = {}, body = '' } = scripted;
			response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...own });
			response.end(body);
		};
		// A client may leave in the middle of its request.
		answer().catch(() => response.destroy());
	});
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		most = Math.max(most, open());
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
	return {
		url,
		/** The requests that arrived whole, in order. */
		received,
		/** How many connections are open now, and how many were at the same moment at most. */
		connections: () => ({ open: open(), most }),
		/** @returns the address of what it serves */
		serve(path: string, scripted: Scripted): string {
			answers.set(new URL(path, url).pathname, scripted);
			return url + path;
		},
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** An envelope, as Cogneris answers. */
export function envelope(data: unknown): Scripted {
	const meta = { httpStatusCode: 200, messages: [] };
	return {
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ data, meta, hasErrors: false }),
	};
}
