import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { SpawnOptions } from 'node:child_process';

import { end, finish, hasEnded, isExecutable, lastLines, launch } from '../n8n/processes';
import { Missing } from './checks';

/** A server from a system package, run as an ordinary process in a temporary folder. */
export interface Service {
	stop(): Promise<void>;
}

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

/** Starts a server in the foreground, and waits until it responds. */
export async function serve(
	place: Place,
	command: string,
	args: string[],
	answers: () => Promise<boolean>,
): Promise<Service> {
	const child = launch(command, args, spawnOptions(place));
	let said = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
	child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
	for (
		const startedAt = Date.now();
		!(await answers());
		await new Promise((again) => setTimeout(again, 100))
	) {
		if (hasEnded(child) || Date.now() - startedAt > 20_000) {
			await end(child);
			await place.remove();
			throw new Error(`${command} did not start\n${lastLines(said, 20)}`);
		}
	}
	return { stop: async () => await end(child) };
}

/** Runs a command as the same user until it ends. */
export async function succeedAs(place: Place, command: string, args: string[]): Promise<string> {
	const child = launch(command, args, spawnOptions(place));
	let said = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
	child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', resolve);
	});
	if (code !== 0) throw new Error(`${command} ended with code ${code}\n${lastLines(said, 20)}`);
	return said;
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
