import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOutsideNpmScript, installN8n } from './install';
import { freePorts, serve, succeed, type Running } from './processes';
import { latestN8n, recipes, type N8nVersion } from './recipes';
import { startServer, type Server } from './server';

export interface HostOptions {
	/** What `packNode` returned: the node is tried as it would be published. */
	packageTarball: string;
	version?: N8nVersion;
	/** Folders that Read/Write Files from Disk may use. */
	files?: string[];
	/** Where n8n keeps files: in the item (`default`), in its own folder, or in its database. Unset: as this n8n does by itself. */
	binaryData?: 'default' | 'filesystem' | 'database';
	/** Kept after `stop`. Without it the host gets a temporary folder, which `stop` removes. */
	userFolder?: string;
	env?: Record<string, string>;
}

export interface Credential {
	id: string;
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** Before n8n has given it an id. */
export type NewCredential = Omit<Credential, 'id'>;

/** The parts of an exported workflow that matter here. */
export interface Workflow {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: object;
	settings?: object;
	[further: string]: unknown;
}

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id?: string | null; name: string }>;
	[further: string]: unknown;
}

export type Host = Awaited<ReturnType<typeof createHost>>;

/** One n8n of its own: folder, database, key and ports are shared with no other. */
export async function createHost(options: HostOptions) {
	const { version = latestN8n } = options;
	const installed = await installN8n(version);

	const temporary = options.userFolder === undefined;
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-host-')));
	await unpackNode(options.packageTarball, userFolder);

	const baseEnv = environment(options, version, userFolder);
	let server: Server | undefined;
	const workers: Running[] = [];

	return {
		userFolder,

		/** Starts editor and REST interface on loopback, with an owner who is logged in. */
		async start(): Promise<Server> {
			server ??= await startServer(installed, await withOwnPorts(baseEnv), userFolder);
			return server;
		},

		/** Starts a process that takes executions from the queue; the host's `env` has to say where that and the database are. */
		async startWorker(): Promise<Running> {
			const worker = await serve(
				installed.node,
				[installed.cli, 'worker', '--concurrency=3'],
				{ cwd: userFolder, env: await withOwnPorts(baseEnv) },
				(log) => log.includes('n8n worker is now ready'),
				60,
			);
			workers.push(worker);
			return worker;
		},

		/** Ends what this host started, and removes its folder if it was a temporary one. */
		async stop(): Promise<void> {
			await Promise.all(workers.map(async (worker) => await worker.stop()));
			await server?.stop();
			server = undefined;
			if (temporary) await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

/** Where n8n looks for community packages. Found there, the node gets its real type name without any record in the database. */
async function unpackNode(tarball: string, userFolder: string): Promise<void> {
	const nodes = join(userFolder, '.n8n', 'nodes', 'node_modules');
	const folder = join(nodes, 'n8n-nodes-document-intelligence');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await succeed('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

function environment(
	options: HostOptions,
	version: N8nVersion,
	userFolder: string,
): NodeJS.ProcessEnv {
	return {
		...withoutSettingsOfAnotherN8n(environmentOutsideNpmScript()),
		// A test runner says "test" here, which makes n8n behave unlike any installation.
		NODE_ENV: 'production',
		NO_PROXY: [process.env.NO_PROXY, '127.0.0.1', 'localhost'].filter(Boolean).join(','),
		GENERIC_TIMEZONE: 'UTC',

		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'only-for-tests',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		DB_SQLITE_POOL_SIZE: '2',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_SECURE_COOKIE: 'false',

		// Nothing leaves for n8n's own servers, and nothing in the editor covers what a screenshot should show.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_AI_ENABLED: 'false',
		N8N_DISABLED_MODULES: recipes[version].disabledModules.join(','),

		N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',

		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
		EXECUTIONS_DATA_SAVE_ON_ERROR: 'all',
		EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'true',
		N8N_RESTRICT_FILE_ACCESS_TO: (options.files ?? []).join(';'),
		...(options.binaryData && {
			N8N_DEFAULT_BINARY_DATA_MODE: options.binaryData,
			N8N_AVAILABLE_BINARY_DATA_MODES: options.binaryData,
		}),
		...options.env,
	};
}

/** A developer's own n8n must not decide how this one behaves. */
function withoutSettingsOfAnotherN8n(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const settings = /^(N8N_|DB_|EXECUTIONS_|CREDENTIALS_|QUEUE_|WEBHOOK_URL$|NODE_OPTIONS$)/;
	return Object.fromEntries(Object.entries(env).filter(([name]) => !settings.test(name)));
}

/** A worker opens the port of the task runners as well, so every process gets a pair of its own. */
async function withOwnPorts(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
	const [port, brokerPort] = await freePorts(2);
	return { N8N_PORT: String(port), N8N_RUNNERS_BROKER_PORT: String(brokerPort), ...env };
}
