import 'reflect-metadata';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { ExecutionLifecycleHooks, PackageDirectoryLoader, WorkflowExecute } from 'n8n-core';
import {
	Workflow as EngineWorkflow,
	type IConnections,
	type ICredentialType,
	type INode,
	type INodeType,
	type IRun,
	type IWorkflowBase,
} from 'n8n-workflow';

import { additionalData, useBinaryMode } from '../../test/n8n-core/runNode';
import { userFolder } from '../../test/n8n-core/userFolder';
import type { Workflow } from '../../test/n8n/host';
import { succeed } from '../../test/n8n/processes';
import { fileNodes } from './fileNodes';
import type { Demo } from './main';

const project = join(__dirname, '..', '..');

/** n8n's own engine runs the workflow with the built node, without editor and database. */
export async function inEngine(
	{ credential, step, undo }: Demo,
	exported: Workflow,
): Promise<void> {
	undo(async () => await rm(userFolder, { recursive: true, force: true }));
	// Nothing is encrypted here; without a key, the engine makes one and says so.
	process.env.N8N_ENCRYPTION_KEY = 'demo';
	step('building the node');
	await succeed('npm', ['run', 'build'], { cwd: project });
	const loader = new PackageDirectoryLoader(project);
	await loader.loadAll();
	await useBinaryMode('filesystem');

	const { version } = createRequire(__filename)('n8n-core/package.json') as {
		version: string;
	};
	step(`n8n's engine (n8n-core ${version}) runs the workflow "${exported.name}"`);
	const typeOf = (name: string): INodeType => {
		const own = loader.nodeTypes[name.replace(`${loader.packageName}.`, '')]?.type;
		const type = fileNodes[name] ?? own;
		if (type === undefined) throw new Error(`the demo has no node of the type ${name}`);
		return type as INodeType;
	};
	const workflow = new EngineWorkflow({
		id: 'demo',
		name: exported.name,
		nodes: exported.nodes.filter(({ type }) => !type.endsWith('.stickyNote')) as INode[],
		connections: exported.connections as IConnections,
		active: false,
		settings: exported.settings,
		nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
	});
	const { type: credentialType } = loader.getCredential('documentIntelligenceApi');
	failUnlessSuccessful(await execute(workflow, credential, credentialType, step));
}

async function execute(
	workflow: EngineWorkflow,
	credential: Record<string, string>,
	credentialType: ICredentialType,
	step: Demo['step'],
): Promise<IRun> {
	const defaults = { requestsPerMinute: 50, concurrentRequests: 10 };
	const data = additionalData({ ...defaults, ...credential }, credentialType);
	// Where n8n would wait for a person; the engine only wants addresses.
	data.webhookWaitingBaseUrl = data.formWaitingBaseUrl = 'http://localhost';
	data.hooks = new ExecutionLifecycleHooks('manual', 'demo', {} as IWorkflowBase);
	data.hooks.addHandler('nodeExecuteAfter', (name, { data: output, hints, error }) => {
		const items = output?.main?.[0]?.length ?? 0;
		const result = error ? error.message : `${items} ${items === 1 ? 'item' : 'items'}`;
		step(`  ${error ? '✗' : '✓'} ${name.padEnd(18)} ${result}`);
		for (const { message } of hints ?? []) step(`      ${message}`);
	});
	return await new WorkflowExecute(data, 'manual').run({
		workflow,
		startNode: workflow.getNode('Start') ?? undefined,
	});
}

function failUnlessSuccessful({ status, data }: IRun): void {
	if (status === 'success') return;
	const { error, lastNodeExecuted } = data.resultData;
	const reason = [error?.message, error?.description].filter(Boolean).join('\n');
	throw new Error(`n8n reports "${status}" at "${lastNodeExecuted}": ${reason}`);
}
