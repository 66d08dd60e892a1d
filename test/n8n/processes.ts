import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { until } from './until';

/** A program is not installed. */
export class Missing extends Error {}

interface Finished {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** Processes of this program that have not ended yet, so that an interrupted run leaves none behind. */
const running = new Set<ChildProcess>();

/** Runs a command to its end. A code other than 0 is a value here, as several n8n commands report a result with it. */
export async function finish(
	command: string,
	args: string[],
	options: SpawnOptions = {},
): Promise<Finished> {
	const child = launch(command, args, options);
	const printed = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr'] as const)
		child[name]?.setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', resolve);
	});
	return { code, ...printed };
}

/** The same, but a code other than 0 is thrown with the last lines of what the command printed. */
export async function succeed(
	command: string,
	args: string[],
	options: SpawnOptions = {},
): Promise<string> {
	const { code, stdout, stderr } = await finish(command, args, options);
	if (code === 0) return stdout;
	const shown = [command, ...args].join(' ');
	throw new Error(`"${shown}" ended with code ${code}\n${lastLines(`${stdout}\n${stderr}`, 40)}`);
}

function launch(command: string, args: string[], options: SpawnOptions): ChildProcess {
	const child = spawn(command, args, {
		stdio: ['ignore', 'pipe', 'pipe'],
		// npm is a batch file on Windows, which only a shell can start.
		shell: process.platform === 'win32' && command === 'npm',
		...options,
	});
	running.add(child);
	child.once('close', () => running.delete(child));
	child.once('error', () => running.delete(child));
	return child;
}

export interface Running {
	pid: number;
	/** Everything it printed so far. */
	log(): string;
	/** Ends it without any chance to put things in order. */
	kill(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts a process that runs until it is ended, and waits until it is ready. */
export async function serve(
	command: string,
	args: string[],
	options: SpawnOptions,
	isReady: (log: string) => boolean | Promise<boolean>,
	seconds: number,
): Promise<Running> {
	const child = launch(command, args, options);
	let log = '';
	for (const stream of [child.stdout, child.stderr])
		stream?.setEncoding('utf8').on('data', (text: string) => (log += text));
	const holds = () => {
		if (hasEnded(child))
			throw new Error(`ended with ${child.signalCode ?? `code ${child.exitCode}`}`);
		return isReady(log);
	};
	try {
		await until(holds, seconds, 'was not ready');
	} catch (error) {
		await end(child);
		const shown = [command, ...args].join(' ');
		throw new Error(`"${shown}" ${(error as Error).message}\n${lastLines(log, 30)}`);
	}
	return {
		pid: child.pid ?? -1,
		log: () => log,
		kill: async () => await endBy(child, 'SIGKILL'),
		stop: async () => await end(child),
	};
}

/** By itself, or by a signal, which leaves no code behind. */
function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** Asks a process to end, insists after ten seconds, and resolves once it is gone. */
async function end(child: ChildProcess): Promise<void> {
	const insist = setTimeout(() => child.kill('SIGKILL'), 10_000);
	await endBy(child, 'SIGTERM');
	clearTimeout(insist);
}

async function endBy(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (hasEnded(child)) return;
	const gone = new Promise((resolve) => child.once('close', resolve));
	child.kill(signal);
	await gone;
}

/** Servers of this process. */
const open: Array<{ close(): void }> = [];

/** Has a server close when everything ends. */
export function closeAtEnd(server: { close(): void }): void {
	open.push(server);
}

/** Ends all processes that this one started, and closes its servers. */
export async function endAll(): Promise<void> {
	for (const server of open.splice(0)) server.close();
	await Promise.all([...running].map(async (child) => await end(child)));
}

function lastLines(text: string, count: number): string {
	return text.trim().split('\n').slice(-count).join('\n');
}

/** Ports nobody listens on. They are held together while choosing, so all of them differ. */
export async function freePorts(count: number): Promise<number[]> {
	const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
	await Promise.all(servers.map(async (server) => void (await once(server, 'listening'))));
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	await Promise.all(servers.map(async (server) => void (await once(server.close(), 'close'))));
	return ports;
}

export function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
