import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { finish, freePorts, isExecutable, Missing, serve, succeed } from '../n8n/processes';

/** A server, and the environment with which n8n uses it. */
interface Backend {
	env: Record<string, string>;
	stop(): Promise<void>;
}

/** The environment of a process in queue mode. */
interface QueueMode {
	env: Record<string, string>;
	/** Everything that n8n stores in its database, as text, except the files of executions. */
	dump: () => Promise<string>;
}

/** Starts PostgreSQL and Redis for `use`, and ends them after it. */
export async function withQueueMode(use: (queueMode: QueueMode) => Promise<void>): Promise<void> {
	const backends: Backend[] = [];
	try {
		const postgres = await startPostgres();
		backends.push(postgres);
		const redis = await startRedis();
		backends.push(redis);
		await use({ env: { ...postgres.env, ...redis.env }, dump: postgres.dump });
	} finally {
		for (const backend of backends.reverse()) await backend.stop();
	}
}

/** PostgreSQL with an empty database, in a temporary folder. */
async function startPostgres(): Promise<Backend & Pick<QueueMode, 'dump'>> {
	const versions = '/usr/lib/postgresql';
	const installed = existsSync(versions) ? readdirSync(versions) : [];
	const folders = installed.map((version) => join(versions, version, 'bin'));
	const [initdb, postgres, psql, pgDump] = ['initdb', 'postgres', 'psql', 'pg_dump'].map((name) =>
		program(name, 'postgresql', folders),
	) as [string, string, string, string];
	const [port = 0] = await freePorts(1);
	const server = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n'];
	const settings = [
		'listen_addresses=127.0.0.1',
		'unix_socket_directories=',
		'fsync=off',
		'max_connections=100',
	].flatMap((setting) => ['-c', setting]);
	const stop = await serveInPlace({
		// Open to this machine only and deleted after the run, so it needs no password and no synchronous writes.
		before: [initdb, ...'-D data -U n8n -A trust -E UTF8 --no-locale --no-sync'.split(' ')],
		command: [postgres, '-D', 'data', '-p', String(port), ...settings],
	});
	await succeed(psql, [...server, '-d', 'postgres', '-c', 'create database n8n']);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'n8n',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: 'none',
		},
		dump: async () =>
			await succeed(pgDump, [...server, '--exclude-table-data=*binary_data*', 'n8n']),
		stop,
	};
}

/** Redis without persistence. */
async function startRedis(): Promise<Backend> {
	const redis = program('redis-server', 'redis-server');
	const [port = 0] = await freePorts(1);
	const options = ['--bind', '127.0.0.1', '--dir', '.', '--save', '', '--appendonly', 'no'];
	const stop = await serveInPlace({ command: [redis, '--port', String(port), ...options] });
	return {
		env: {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(port),
		},
		stop,
	};
}

/** The ordinary user of Debian whom root starts these servers as, because they refuse to run as root. */
const USER = 'nobody';

/** Whom a process is to run as; nobody else unless this process is of root. */
async function ordinaryUser(): Promise<{ uid?: number; gid?: number }> {
	if (process.getuid?.() !== 0) return {};
	const idOf = async (flag: string) => Number((await finish('id', [flag, USER])).stdout);
	return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/**
 * Starts a server from a system package as an ordinary process in a temporary folder, and waits until it is ready.
 *
 * @returns how it is ended
 */
async function serveInPlace({
	before,
	command: [command = '', ...args],
}: {
	/** A command that prepares the folder. */
	before?: string[];
	command: string[];
}): Promise<() => Promise<void>> {
	const user = await ordinaryUser();
	const cwd = await mkdtemp(join(tmpdir(), 'server-'));
	const remove = async () => await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
	try {
		if (user.uid !== undefined && user.gid !== undefined) await chown(cwd, user.uid, user.gid);
		await chmod(cwd, 0o700);
		const options = { cwd, env: { ...process.env, HOME: cwd }, ...user };
		if (before?.[0] !== undefined) await succeed(before[0], before.slice(1), options);
		// In the words of both.
		const isReady = (log: string) => /ready to accept connections/i.test(log);
		const server = await serve(command, args, options, isReady, 20);
		return async () => {
			await server.stop();
			await remove();
		};
	} catch (error) {
		await remove();
		throw error;
	}
}

/** The path of a program from a system package, also outside PATH. */
function program(name: string, debianPackage: string, furtherFolders: string[] = []): string {
	const path = (process.env.PATH ?? '').split(delimiter);
	const folders = [...furtherFolders, ...path, '/usr/sbin', '/sbin'];
	const found = folders.map((folder) => join(folder, name)).find(isExecutable);
	if (found === undefined)
		throw new Missing(`there is no ${name}; on Debian it is in ${debianPackage}`);
	return found;
}
