import { resolve } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Workflow, WorkflowNode } from '../n8n/host';
import type { Server } from '../n8n/server';
import { expect } from './checks';
import { CREDENTIAL, documents } from './setting';

export const NODE_TYPE = 'n8n-nodes-document-intelligence.documentIntelligence';

/** The name of the node under test in workflows. */
export const NODE = 'Document Intelligence';

export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown> = {},
	further: Partial<WorkflowNode> = {},
): WorkflowNode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters, ...further };
}

export function start(): WorkflowNode {
	return node('Start', 'n8n-nodes-base.manualTrigger', 1);
}

/** Reads files from disk, one item per file. */
export function readFiles(pattern: string, field = 'data', name = 'Read'): WorkflowNode {
	return node(name, 'n8n-nodes-base.readWriteFile', 1, {
		operation: 'read',
		fileSelector: pattern,
		options: { dataPropertyName: field },
	});
}

/** The same, sorted by name, because the order on disk varies. The last node is called `Read`. */
export function readSorted(pattern: string): WorkflowNode[] {
	return [
		readFiles(pattern, 'data', 'Read from Disk'),
		node('Read', 'n8n-nodes-base.sort', 1, {
			sortFieldsUi: { sortField: [{ fieldName: 'fileName' }] },
			options: {},
		}),
	];
}

/** The node under test. */
export function documentIntelligence(
	parameters: Record<string, unknown>,
	further: Partial<WorkflowNode> & { credential?: string } = {},
): WorkflowNode {
	const { credential = CREDENTIAL, ...rest } = further;
	return node(NODE, NODE_TYPE, 1, parameters, { ...credentialNamed(credential), ...rest });
}

/** What makes a node use the credential of this name. */
export function credentialNamed(name: string): Partial<WorkflowNode> {
	return { credentials: { documentIntelligenceApi: { name } } };
}

/** Nodes that read sample documents from disk, by a pattern or a whole path, and send them. */
export function sending(
	files: string,
	parameters: Record<string, unknown>,
	further: Parameters<typeof documentIntelligence>[1] = {},
): WorkflowNode[] {
	return [start(), readFiles(resolve(documents, files)), documentIntelligence(parameters, further)];
}

/** The name of the trigger in workflows. */
export const TRIGGER = 'Document Intelligence Trigger';

/** The trigger, polling every minute, the shortest interval that n8n allows. */
export function documentIntelligenceTrigger(
	parameters: Record<string, unknown> = {},
	credential = CREDENTIAL,
): WorkflowNode {
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const all = { pollTimes, ...parameters };
	return node(TRIGGER, `${NODE_TYPE}Trigger`, 1, all, credentialNamed(credential));
}

export function nothing(name: string): WorkflowNode {
	return node(name, 'n8n-nodes-base.noOp', 1);
}

type Link = [from: string, to: string, output?: number, input?: number];

/** A workflow with these connections; by default, each node is connected to the next. */
export function workflow(name: string, nodes: WorkflowNode[], links?: Link[]): Workflow {
	const followed =
		links ?? nodes.slice(1).map((to, position): Link => [nodes[position]?.name ?? '', to.name]);
	const connections: Record<
		string,
		{ main: Array<Array<{ node: string; type: string; index: number }>> }
	> = {};
	for (const [from, to, output = 0, input = 0] of followed) {
		const { main } = (connections[from] ??= { main: [] });
		while (main.length <= output) main.push([]);
		main[output]?.push({ node: to, type: 'main', index: input });
	}
	const placed = nodes.map((one, place) => ({
		...one,
		position: [place * 220, 0] as [number, number],
	}));
	return { name, nodes: placed, connections, settings: { executionOrder: 'v1' } };
}

/** Why an execution ended, in one line. */
export function reasonOf({ status, error, lastNode }: Execution): string {
	return `${status} at "${lastNode}": ${[error?.message, error?.description].filter(Boolean).join(' / ')}`;
}

/** Runs a workflow that has to succeed. */
export async function succeeded(server: Server, made: Workflow | string): Promise<Execution> {
	return assertSuccess(await server.run(made));
}

export function assertSuccess(execution: Execution): Execution {
	expect(execution.status === 'success', reasonOf(execution));
	return execution;
}
