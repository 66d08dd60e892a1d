import { createHash } from 'node:crypto';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import type { Workflow, WorkflowNode } from '../n8n/host';
import type { Server } from '../n8n/server';
import { CREDENTIAL } from './setting';

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

/** Starts at once for each request. */
export function webhook(path: string): WorkflowNode {
	const parameters = { path, httpMethod: 'GET', responseMode: 'onReceived', options: {} };
	return node('Webhook', 'n8n-nodes-base.webhook', 2, parameters, { webhookId: path });
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
	return node(NODE, NODE_TYPE, 1, parameters, {
		credentials: { documentIntelligenceApi: { name: credential } },
		...rest,
	});
}

/** The name of the trigger in workflows. */
export const TRIGGER = 'Document Intelligence Trigger';

/** The trigger, polling every minute, the shortest interval that n8n allows. */
export function documentIntelligenceTrigger(
	parameters: Record<string, unknown> = {},
	credential = CREDENTIAL,
): WorkflowNode {
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const type = `${NODE_TYPE}Trigger`;
	return node(
		TRIGGER,
		type,
		1,
		{ pollTimes, ...parameters },
		{
			credentials: { documentIntelligenceApi: { name: credential } },
		},
	);
}

/** n8n's HTTP Request node with the credential, sending the same form as the node under test. */
export function httpRequest(
	url: string,
	{
		name = 'HTTP Request',
		credential = CREDENTIAL,
		options = {},
	}: { name?: string; credential?: string; options?: object } = {},
): WorkflowNode {
	const parameters = {
		method: 'POST',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'documentIntelligenceApi',
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
		},
		options,
	};
	return node(name, 'n8n-nodes-base.httpRequest', 4.2, parameters, {
		credentials: { documentIntelligenceApi: { name: credential } },
	});
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

/** Names that differ between runs or machines. */
const OF_THE_RUN = new Set(
	'extractionId createdDate requestId imageUrl sourceDocumentId selfieDocumentId correlationId id templateId jobId reference outputReference startedAt completedAt expiresAt'.split(
		' ',
	),
);

/** Items in a form that can be compared between hosts: files by content, without values that differ between runs. */
export async function comparable(server: Server, items: INodeExecutionData[]): Promise<unknown[]> {
	const compared: unknown[] = [];
	for (const { json, binary = {}, pairedItem } of items) {
		const files: Record<string, unknown> = {};
		for (const [field, file] of Object.entries(binary)) {
			const bytes = await server.bytes(file);
			const sha256 = createHash('sha256').update(bytes).digest('hex');
			files[field] = {
				fileName: file.fileName,
				mimeType: file.mimeType,
				bytes: bytes.length,
				sha256,
			};
		}
		compared.push({ json: withoutTheRun(json), files, pairedItem });
	}
	return compared;
}

const JOB_NUMBER = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

function withoutTheRun(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutTheRun);
	// Messages contain job IDs.
	if (typeof value === 'string') return value.replace(JOB_NUMBER, 'of the run');
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [
			key,
			OF_THE_RUN.has(key) ? typeof entry : withoutTheRun(entry),
		]),
	);
}
