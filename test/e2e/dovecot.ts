import { chown, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { freePorts, succeed } from '../n8n/processes';
import { Missing } from './checks';
import { newPlace, program, serve, type Place } from './systemServices';

/** A mail server with one mailbox on loopback. */
export interface MailServer {
	port: number;
	user: string;
	password: string;
	/** Whether a client has opened the mailbox and waits for new emails (IDLE). */
	isWatched: () => Promise<boolean>;
	/** Adds a file to the mailbox, as a mail server does when an email arrives. */
	deliver(mail: Buffer): Promise<void>;
	stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
	const dovecot = program('dovecot', 'dovecot-imapd');
	const version = await succeed(dovecot, ['--version']);
	// Later versions use another configuration format.
	if (!version.startsWith('2.3.'))
		throw new Missing(`dovecot is ${version.trim()}, and the settings here are for 2.3`);
	const place = await newPlace('dovecot');
	const { folder, as } = place;
	const [port = 0] = await freePorts(1);
	const user = 'invoices';
	const password = 'only-for-tests';
	const config = join(folder, 'dovecot.conf');
	await writeFile(config, configuration(place, port, password));

	const own = async (path: string) => {
		if (as.uid !== undefined && as.gid !== undefined) await chown(path, as.uid, as.gid);
	};
	await own(config);
	const mailbox = join(folder, 'mail', user);
	const dialogue = join(folder, 'dialogue');
	for (const part of [
		dialogue,
		join(folder, 'mail'),
		mailbox,
		...['tmp', 'new', 'cur'].map((name) => join(mailbox, name)),
	]) {
		await mkdir(part, { recursive: true });
		await own(part);
	}
	const service = await serve(place, dovecot, ['-F', '-c', config], async () => await greets(port));
	let delivered = 0;
	return {
		port,
		user,
		password,
		async isWatched() {
			const said = (await readdir(dialogue)).filter((name) => name.endsWith('.in'));
			const texts = await Promise.all(
				said.map(async (name) => await readFile(join(dialogue, name), 'latin1')),
			);
			return texts.some((text) => /^[^\n]* IDLE\r?$/m.test(text));
		},
		async deliver(mail) {
			delivered += 1;
			const name = `${Math.floor(Date.now() / 1000)}.${delivered}.example`;
			const written = join(mailbox, 'tmp', name);
			await writeFile(written, mail);
			await own(written);
			await rename(written, join(mailbox, 'new', name));
		},
		async stop() {
			await service.stop();
			await place.remove();
		},
	};
}

/** Everything in one folder and under one user; by default, dovecot switches users and root folders between processes. */
function configuration({ folder, as }: Place, port: number, password: string): string {
	return `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
rawlog_dir = ${folder}/dialogue
ssl = no
disable_plaintext_auth = no
default_internal_user = ${as.name}
default_internal_group = ${as.group}
default_login_user = ${as.name}
first_valid_uid = 1
first_valid_gid = 1
mailbox_idle_check_interval = 1 secs
mail_location = maildir:${folder}/mail/%n
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${as.name} gid=${as.group} home=${folder}/mail/%n
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`;
}

async function greets(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		const done = (greeted: boolean) => {
			socket.destroy();
			resolve(greeted);
		};
		socket.setTimeout(1000, () => done(false));
		socket.once('error', () => done(false));
		socket.once('data', (data) => done(data.toString().startsWith('* OK')));
	});
}
