import type { Socket } from 'node:net';
import type { NewCredential } from './host';
import { startLineServer } from './lineServer';

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/** Milliseconds after the client has opened the mailbox in which the mails arrive: n8n only looks at new ones. */
const ARRIVAL_MS = 100;

/** A mail server with one mailbox, empty at first: as much of IMAP as n8n's Email Trigger needs to fetch unread mails. */
export async function startMailbox(mails: Buffer[]) {
	/** Numbers of the mails that the client has marked as read, from 1. */
	const seen = new Set<number>();
	/** What the client said, for the case that it stops in the middle. */
	const dialogue: string[] = [];
	const arrived: Buffer[] = [];
	const { sockets, port } = await startLineServer((socket) => {
		socket.write('* OK ready\r\n');
		return (line) => {
			dialogue.push(line.replace(/LOGIN.*/i, 'LOGIN …'));
			answer(socket, line, arrived, seen);
			if (!/ SELECT /i.test(line) || arrived.length > 0) return;
			setTimeout(() => deliver(mails), ARRIVAL_MS);
		};
	});
	/** More mails arrive. */
	const deliver = (more: Buffer[]) => {
		arrived.push(...more);
		for (const socket of sockets) socket.write(`* ${arrived.length} EXISTS\r\n`);
	};
	const data = { user: 'ann', password: 'secret', host: '127.0.0.1', port };
	return {
		/** With which n8n reads it. */
		credential: (name: string): NewCredential => ({
			name,
			type: 'imap',
			data: { ...data, secure: false, allowUnauthorizedCerts: false },
		}),
		seen,
		dialogue,
		deliver,
	};
}

function answer(socket: Socket, line: string, mails: Buffer[], seen: Set<number>) {
	const [, tag = '*', command = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? [];
	const untagged = (text: string) => socket.write(`* ${text}\r\n`);
	switch (command.toUpperCase()) {
		case 'CAPABILITY':
			untagged('CAPABILITY IMAP4rev1');
			break;
		case 'LIST':
			untagged('LIST (\\HasNoChildren) "/" "INBOX"');
			break;
		case 'STATUS':
			untagged(
				`STATUS INBOX (MESSAGES ${mails.length} UIDNEXT ${mails.length + 1} UIDVALIDITY 1 UNSEEN ${mails.length - seen.size})`,
			);
			break;
		case 'SELECT':
		case 'EXAMINE':
			untagged('FLAGS (\\Seen)');
			untagged(`${mails.length} EXISTS`);
			untagged('0 RECENT');
			untagged('OK [PERMANENTFLAGS (\\Seen)] flags');
			untagged('OK [UIDVALIDITY 1] valid');
			untagged(`OK [UIDNEXT ${mails.length + 1}] next`);
			break;
		case 'SEARCH':
		case 'UID SEARCH': {
			// Whatever else is asked for, all mails came today.
			const found = mails.map((_, index) => index + 1).filter((number) => !seen.has(number));
			untagged(`SEARCH ${found.join(' ')}`.trim());
			break;
		}
		case 'FETCH':
		case 'UID FETCH':
			for (const number of numbersIn(rest, mails.length)) {
				const mail = mails[number - 1] ?? Buffer.alloc(0);
				const flags = seen.has(number) ? '\\Seen' : '';
				socket.write(
					`* ${number} FETCH (UID ${number} FLAGS (${flags}) INTERNALDATE "03-Nov-2026 09:00:00 +0000"`,
				);
				// Asked for by n8n 1, which then takes the parts from the whole mail all the same.
				if (/BODYSTRUCTURE/i.test(rest))
					socket.write(` BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" ${mail.length} 1)`);
				if (/BODY(\.PEEK)?\[\]/i.test(rest)) {
					socket.write(` BODY[] {${mail.length}}\r\n`);
					socket.write(mail);
				}
				socket.write(')\r\n');
			}
			break;
		case 'STORE':
		case 'UID STORE':
			if (/seen/i.test(rest)) for (const number of numbersIn(rest, mails.length)) seen.add(number);
			break;
		case 'LOGOUT':
			untagged('BYE');
			break;
	}
	socket.write(`${tag} OK done\r\n`);
}

/** The numbers of a set such as `1:3,5` or `2:*`. */
function numbersIn(rest: string, last: number): number[] {
	const [set = ''] = rest.split(' ');
	return set.split(',').flatMap((part) => {
		const [from = 0, to = from] = part.split(':').map((end) => (end === '*' ? last : Number(end)));
		return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
	});
}
