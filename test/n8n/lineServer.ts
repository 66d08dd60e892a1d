import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { closeAtEnd } from './processes';

/**
 * A server on loopback for a protocol of lines, as IMAP and SMTP are.
 *
 * @param connect gets a new connection, and says what is done with its lines
 */
export async function startLineServer(connect: (socket: Socket) => (line: string) => void) {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
		createInterface({ input: socket.setEncoding('latin1') }).on('line', connect(socket));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	closeAtEnd({
		close() {
			server.close();
			for (const socket of sockets) socket.destroy();
		},
	});
	return { sockets, port: (server.address() as AddressInfo).port };
}
