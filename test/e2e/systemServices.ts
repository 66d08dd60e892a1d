import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { SpawnOptions } from 'node:child_process';

import { finish, isExecutable, Missing, serve, succeed, type Running } from '../n8n/processes';

export interface Place {
	folder: string;
	/** The user who runs the process and owns its folder. */
	as: { uid?: number; gid?: number; name: string; group: string };
	remove(): Promise<void>;
}

/** These servers refuse to run as root, so root runs them as `nobody`. */
export async function newPlace(name: string): Promise<Place> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	const as = await ordinaryUser();
	if (as.uid !== undefined && as.gid !== undefined) await chown(folder, as.uid, as.gid);
	await chmod(folder, 0o700);
	return {
		folder,
		as,
		remove: async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 }),
	};
}

async function ordinaryUser(): Promise<Place['as']> {
	const idOf = async (...args: string[]) => (await finish('id', args)).stdout.trim();
	if (process.getuid?.() !== 0) return { name: await idOf('-un'), group: await idOf('-gn') };
	const name = 'nobody';
	return {
		name,
		group: await idOf('-gn', name),
		uid: Number(await idOf('-u', name)),
		gid: Number(await idOf('-g', name)),
	};
}

function spawnOptions({ folder, as }: Place): SpawnOptions {
	const { uid, gid } = as;
	return {
		cwd: folder,
		env: { ...process.env, HOME: folder },
		...(uid === undefined ? {} : { uid, gid }),
	};
}

/** Starts a server from a system package as an ordinary process, and waits until it responds. */
export async function serveIn(
	place: Place,
	command: string,
	args: string[],
	answers: () => Promise<boolean>,
): Promise<Running> {
	try {
		return await serve(command, args, spawnOptions(place), answers, 20);
	} catch (error) {
		await place.remove();
		throw error;
	}
}

/** Runs a command as the same user until it ends. */
export async function succeedIn(place: Place, command: string, args: string[]): Promise<string> {
	return await succeed(command, args, spawnOptions(place));
}

/** The path of a program from a system package, also outside PATH. */
export function program(
	name: string,
	debianPackage: string,
	furtherFolders: string[] = [],
): string {
	const folders = [
		...furtherFolders,
		...(process.env.PATH ?? '').split(delimiter),
		'/usr/sbin',
		'/sbin',
	];
	const found = folders.map((folder) => join(folder, name)).find(isExecutable);
	if (found === undefined)
		throw new Missing(`there is no ${name}; on Debian it is in ${debianPackage}`);
	return found;
}
