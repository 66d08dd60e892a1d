import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IBinaryData, INodeTypeDescription } from 'n8n-workflow';
import { toExecution, type Execution, type StoredRun } from './execution';
import type { Credential, NewCredential, Workflow, WorkflowNode } from './host';
import type { InstalledN8n } from './install';
import { serve } from './processes';
import { until } from './until';

/** Signs in to a throw-away n8n on loopback: not a secret. */
export const owner = {
	email: 'owner@example.com',
	password: 'Documents-2026',
	firstName: 'Olive',
	lastName: 'Owner',
};

export type Server = Awaited<ReturnType<typeof startServer>>;

const START_SECONDS = 120;

/** Longer than any workflow here takes, waits for the rate limit included. */
const EXECUTION_SECONDS = 15 * 60;

/** Until a trigger has noticed what happened. */
const TRIGGER_SECONDS = 60;

/** n8n ties a session to the browser that opened it, by this header. */
const BROWSER = 'n8n-nodes-document-intelligence tests';

export async function startServer(
	installed: InstalledN8n,
	env: NodeJS.ProcessEnv,
	userFolder: string,
) {
	const running = await serve(
		installed.node,
		[installed.cli, 'start'],
		{ cwd: userFolder, env },
		// The last thing n8n prints: from here on node types, triggers and runners are ready too.
		(log) => log.includes('Editor is now accessible'),
		START_SECONDS,
	);
	const url = `http://localhost:${env.N8N_PORT}`;
	try {
		return { ...running, ...connect(installed, url, await signIn(url)) };
	} catch (error) {
		await running.stop();
		throw error;
	}
}

function connect(installed: InstalledN8n, url: string, cookie: string) {
	const rest = async <T>(method: string, path: string, body?: object): Promise<T> => {
		const response = await request(url, method, path, body, cookie);
		return ((await response.json()) as { data: T }).data;
	};

	const addCredential = async (credential: NewCredential): Promise<string> =>
		(await rest<{ id: string }>('POST', '/rest/credentials', credential)).id;

	/** Credentials the workflow names are looked up among those added, as ids differ from one n8n to the next. */
	const addWorkflow = async (workflow: Workflow): Promise<string> => {
		const credentials = await rest<Credential[]>('GET', '/rest/credentials');
		const nodes = workflow.nodes.map((node) => withCredentialIds(node, credentials));
		const added = await rest<{ id: string }>('POST', '/rest/workflows', {
			settings: {},
			...workflow,
			// n8n gives an id of its own.
			id: undefined,
			active: false,
			nodes,
		});
		return added.id;
	};

	// n8n stores a run as flatted JSON; the copy of that library it was written with reads it back.
	const flatted = createRequire(join(installed.folder, 'package.json'))('flatted') as {
		parse: (text: string) => StoredRun['data'];
	};

	/** Waits until the execution has ended. */
	const execution = async (id: string): Promise<Execution> => {
		let stored: Omit<StoredRun, 'data'> & { data: string };
		const hasEnded = async () => {
			stored = await rest('GET', `/rest/executions/${id}`);
			return !['new', 'running', 'waiting', 'unknown'].includes(stored.status ?? '');
		};
		await until(hasEnded, EXECUTION_SECONDS, `execution ${id} had not ended`);
		return toExecution({ ...stored!, data: flatted.parse(stored!.data) }, id);
	};

	/** Ids of a workflow's executions, the latest first. */
	const executionIds = async (workflowId: string): Promise<string[]> => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await rest<{ results: Array<{ id: string }> }>(
			'GET',
			`/rest/executions?filter=${filter}`,
		);
		return results.map(({ id }) => id);
	};

	const setActive = async (workflowId: string, active: boolean): Promise<void> => {
		const path = `/rest/workflows/${workflowId}`;
		const { versionId } = await rest<{ versionId: string }>('GET', path);
		// n8n 2 publishes a version of the workflow; n8n 1 has a switch on it.
		if (installed.version.startsWith('1.')) await rest('PATCH', path, { active, versionId });
		else {
			if (active) await rest('POST', `${path}/activate`, { versionId });
			else await rest('POST', `${path}/deactivate`, {});
			await publication(rest, workflowId, active ? 'published' : 'not_published');
		}
	};

	/** Starts a workflow from its manual trigger and gives the execution's id. A workflow that is given whole is added first. */
	const begin = async (workflow: Workflow | string): Promise<string> => {
		const workflowId = typeof workflow === 'string' ? workflow : await addWorkflow(workflow);
		const stored = await rest<Workflow>('GET', `/rest/workflows/${workflowId}`);
		const trigger = stored.nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
		if (trigger === undefined)
			throw new Error(`"${stored.name}" has no manual trigger to run it from`);
		const { executionId } = await rest<{ executionId: string }>(
			'POST',
			`/rest/workflows/${workflowId}/run`,
			// n8n 1 runs the workflow it is sent, n8n 2 the one it has.
			{ workflowData: stored, triggerToStartFrom: { name: trigger.name } },
		);
		return executionId;
	};

	return {
		/** The editor's address. */
		url,
		/** The session cookie of the owner, as `name=value`. */
		cookie,
		rest,
		begin,
		addCredential,
		addWorkflow,
		execution,
		executionIds,
		/** What n8n tells its editor of all node types. */
		async nodeTypes(): Promise<INodeTypeDescription[]> {
			const response = await request(url, 'GET', '/types/nodes.json', undefined, cookie);
			return (await response.json()) as INodeTypeDescription[];
		},

		/** The credential's own test, as the editor's "Test" button runs it. */
		async testCredential(
			credential: NewCredential,
		): Promise<{ status: 'OK' | 'Error'; message: string }> {
			const id = await addCredential(credential);
			try {
				return await rest('POST', '/rest/credentials/test', { credentials: { id, ...credential } });
			} finally {
				await rest('DELETE', `/rest/credentials/${id}`);
			}
		},

		/** Switches the workflow's trigger on: a webhook then answers under `${url}/webhook/…`. */
		activate: async (workflowId: string) => await setActive(workflowId, true),
		deactivate: async (workflowId: string) => await setActive(workflowId, false),

		/** Runs a workflow to its end. */
		run: async (workflow: Workflow | string) => await execution(await begin(workflow)),

		/** The first execution of a workflow that its trigger starts, or the first after `earlier` others, once it has ended. */
		async triggeredExecution(workflowId: string, earlier = 0): Promise<Execution> {
			let id: string | undefined;
			const hasStarted = async () => {
				id = (await executionIds(workflowId)).at(-1 - earlier);
				return id !== undefined;
			};
			await until(hasStarted, TRIGGER_SECONDS, `workflow ${workflowId} did not start`);
			return await execution(String(id));
		},

		/** The bytes of a file in an item, wherever n8n keeps them. */
		async bytes(file: IBinaryData): Promise<Buffer> {
			if (!file.id) return Buffer.from(file.data, 'base64');
			const path = `/rest/binary-data?action=download&id=${encodeURIComponent(file.id)}`;
			const response = await request(url, 'GET', path, undefined, cookie);
			return Buffer.from(await response.arrayBuffer());
		},
	};
}

/** For a trigger that polls, the activation takes as long as its first poll. */
const PUBLICATION_SECONDS = 240;

/** n8n 2 answers at once, and starts or ends the trigger a little later. */
async function publication(
	rest: <T>(method: string, path: string) => Promise<T>,
	workflowId: string,
	expected: 'published' | 'not_published',
): Promise<void> {
	const isDone = async () => {
		const { status, ...details } = await rest<{ status: string }>(
			'GET',
			`/rest/workflows/${workflowId}/publication-status`,
		);
		if (![expected, 'in_progress'].includes(status))
			throw new Error(`workflow ${workflowId} is ${status}: ${JSON.stringify(details)}`);
		return status === expected;
	};
	await until(isDone, PUBLICATION_SECONDS, `workflow ${workflowId} was not ${expected}`);
}

/** Makes the owner's account, or signs in when the folder already has one. */
async function signIn(url: string): Promise<string> {
	let answer: Response;
	const isReady = async () => {
		answer = await fetch(`${url}/rest/owner/setup`, asJson('POST', owner));
		return answer.status !== 503;
	};
	// On a busy machine, the database may not be ready right after the start.
	await until(isReady, 30, 'the database of n8n was not ready');
	if (!answer!.ok)
		answer = await request(url, 'POST', '/rest/login', {
			emailOrLdapLoginId: owner.email,
			password: owner.password,
		});
	const cookie = answer!.headers.getSetCookie().find((line) => line.startsWith('n8n-auth='));
	if (cookie === undefined) throw new Error(`n8n did not sign its owner in: ${answer!.status}`);
	return cookie.split(';')[0] ?? '';
}

async function request(
	url: string,
	method: string,
	path: string,
	body: object | undefined,
	cookie = '',
): Promise<Response> {
	const response = await fetch(url + path, asJson(method, body, cookie));
	if (response.ok) return response;
	throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
}

function asJson(method: string, body?: object, cookie = ''): RequestInit {
	return {
		method,
		headers: { 'content-type': 'application/json', 'browser-id': BROWSER, cookie },
		...(body && { body: JSON.stringify(body) }),
	};
}

function withCredentialIds(node: WorkflowNode, added: Credential[]): WorkflowNode {
	if (node.credentials === undefined) return node;
	const credentials = Object.entries(node.credentials).map(([type, { name }]) => {
		const ofType = added.filter((credential) => credential.type === type);
		const match = ofType.find((credential) => credential.name === name) ?? ofType[0];
		return [type, match ? { id: match.id, name: match.name } : { name }] as const;
	});
	return { ...node, credentials: Object.fromEntries(credentials) };
}
