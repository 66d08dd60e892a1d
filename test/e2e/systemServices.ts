import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { finish, isExecutable, Missing, serve, succeed } from '../n8n/processes';

/** The ordinary user of Debian whom root starts these servers as, because they refuse to run as root. */
const USER = 'nobody';

/** Whom a process is to run as; nobody else unless this process is of root. */
async function ordinaryUser(): Promise<{ uid?: number; gid?: number }> {
	if (process.getuid?.() !== 0) return {};
	const idOf = async (flag: string) => Number((await finish('id', [flag, USER])).stdout);
	return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/**
 * Starts a server from a system package as an ordinary process in a temporary folder, and waits until it responds.
 *
 * @returns how it is ended
 */
export async function serveInPlace({
	before,
	command: [command = '', ...args],
	answers,
}: {
	/** A command that prepares the folder. */
	before?: string[];
	command: string[];
	answers: () => Promise<boolean>;
}): Promise<() => Promise<void>> {
	const user = await ordinaryUser();
	const cwd = await mkdtemp(join(tmpdir(), 'server-'));
	const remove = async () => await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
	try {
		if (user.uid !== undefined && user.gid !== undefined) await chown(cwd, user.uid, user.gid);
		await chmod(cwd, 0o700);
		const options = { cwd, env: { ...process.env, HOME: cwd }, ...user };
		if (before?.[0] !== undefined) await succeed(before[0], before.slice(1), options);
		const { stop } = await serve(command, args, options, answers, 20);
		return async () => {
			await stop();
			await remove();
		};
	} catch (error) {
		await remove();
		throw error;
	}
}

/** The path of a program from a system package, also outside PATH. */
export function program(
	name: string,
	debianPackage: string,
	furtherFolders: string[] = [],
): string {
	const path = (process.env.PATH ?? '').split(delimiter);
	const folders = [...furtherFolders, ...path, '/usr/sbin', '/sbin'];
	const found = folders.map((folder) => join(folder, name)).find(isExecutable);
	if (found === undefined)
		throw new Missing(`there is no ${name}; on Debian it is in ${debianPackage}`);
	return found;
}
