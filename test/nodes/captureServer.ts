import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CapturedRequest {
	url: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

export interface CaptureServer {
	url: string;
	captured: CapturedRequest[];
	close(): void;
}

/** A server that keeps every request byte for byte, and answers like a service that found a document without fields. */
export async function captureServer(): Promise<CaptureServer> {
	const captured: CapturedRequest[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			captured.push({
				url: request.url ?? '',
				headers: request.headers,
				body: Buffer.concat(chunks),
			});
			response.setHeader('content-type', 'application/json');
			response.end(
				'{"data":{"metadata":{}},"meta":{"httpStatusCode":200,"messages":[]},"hasErrors":false}',
			);
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		captured,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
