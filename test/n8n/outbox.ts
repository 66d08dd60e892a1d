import { simpleParser, type ParsedMail } from 'mailparser';
import type { NewCredential } from './host';
import { startLineServer } from './lineServer';

export type Outbox = Awaited<ReturnType<typeof startOutbox>>;

/** A mail server that keeps what it is given: as much of SMTP as n8n's Send Email needs. */
export async function startOutbox() {
	const sent: string[] = [];
	const { port } = await startLineServer((socket) => {
		socket.write('220 ready\r\n');
		let mail: string[] | undefined;
		return (line) => {
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
		};
	});
	const data = { user: '', password: '', host: '127.0.0.1', port };
	return {
		/** With which n8n sends through it. */
		credential: (name: string): NewCredential => ({
			name,
			type: 'smtp',
			data: { ...data, secure: false, disableStartTls: true },
		}),
		/** The mails sent so far, in their order. */
		mails: async (): Promise<ParsedMail[]> =>
			await Promise.all(sent.map(async (mail) => await simpleParser(Buffer.from(mail, 'latin1')))),
	};
}
