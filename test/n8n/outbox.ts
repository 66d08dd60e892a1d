import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { simpleParser, type ParsedMail } from 'mailparser';
import type { Credential } from './host';

export interface Outbox {
	/** With which n8n sends through it. */
	credential(name: string): Omit<Credential, 'id'>;
	/** The mails sent so far, in their order. */
	mails(): Promise<ParsedMail[]>;
	close(): void;
}

/** A mail server that keeps what it is given: as much of SMTP as n8n's Send Email needs. */
export async function startOutbox(): Promise<Outbox> {
	const sent: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.write('220 ready\r\n');
		let mail: string[] | undefined;
		createInterface({ input: socket.setEncoding('latin1') }).on('line', (line) => {
			if (mail !== undefined && line !== '.') {
				// A dot at the beginning of a line travels as two.
				mail.push(line.replace(/^\.\./, '.'));
				return;
			}
			if (mail !== undefined) {
				sent.push(mail.join('\r\n'));
				mail = undefined;
				socket.write('250 kept\r\n');
				return;
			}
			const command = line.slice(0, 4).toUpperCase();
			if (command === 'DATA') mail = [];
			socket.write({ DATA: '354 go on\r\n', QUIT: '221 bye\r\n' }[command] ?? '250 ok\r\n');
			if (command === 'QUIT') socket.end();
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const security = { secure: false, disableStartTls: true };
	return {
		credential: (name) => ({
			name,
			type: 'smtp',
			data: { user: '', password: '', host: '127.0.0.1', port, ...security },
		}),
		mails: async () =>
			await Promise.all(sent.map(async (mail) => await simpleParser(Buffer.from(mail, 'latin1')))),
		close() {
			server.close();
			for (const socket of sockets) socket.destroy();
		},
	};
}
