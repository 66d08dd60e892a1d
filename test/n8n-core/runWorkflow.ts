import 'reflect-metadata';
import './userFolder';

import { randomUUID } from 'node:crypto';

import { WorkflowExecute } from 'n8n-core';
import {
	Workflow,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { additionalData } from './runNode';

export interface WorkflowRun {
	workflowId: string;
	mode: WorkflowExecuteMode;
	items: INodeExecutionData[];
	credential: ICredentialDataDecryptedObject;
	/** The nodes that get the items, one after the other; one that is there twice is in a loop of the user's own. */
	passes: INode[];
	/** What the node does, called for each attempt. */
	execute: (context: IExecuteFunctions, node: INode) => Promise<INodeExecutionData[][]>;
	/** What a node passed on reaches the workflow. */
	onPassedOn: (node: INode, items: INodeExecutionData[]) => void;
	signal: AbortSignal;
}

const LOOP = 'loop';

/**
 * A workflow in n8n's own execution: its loop, retries, stop and outputs are n8n's. All nodes get the same items, as a
 * loop gives them to the node of each pass.
 */
export async function runWorkflow(run: WorkflowRun): Promise<void> {
	const { passes, items } = run;
	const nodes = [...new Map(passes.map((node) => [node.name, node])).values()];
	let pass = 0;
	const loop = (received: INodeExecutionData[]) => {
		const before = passes[pass - 1];
		if (before !== undefined) run.onPassedOn(before, received);
		const next = passes[pass++];
		const outputs = nodes.map(({ name }) => (name === next?.name ? items : []));
		return [...outputs, next === undefined ? received : []];
	};
	const { description } = new DocumentIntelligence();
	const plain = (outputs: number, execute: (items: INodeExecutionData[]) => unknown) =>
		({
			description: {
				inputs: ['main'],
				outputs: Array.from({ length: outputs }, () => 'main'),
				properties: [],
			},
			async execute(this: IExecuteFunctions) {
				return await Promise.resolve(execute(this.getInputData()));
			},
		}) as unknown as INodeType;
	const types: Record<string, INodeType> = {
		start: plain(1, () => [items]),
		[LOOP]: plain(nodes.length + 1, loop),
	};
	const tested: INodeType = {
		description,
		async execute(this: IExecuteFunctions) {
			return await run.execute(this, this.getNode());
		},
	};
	const typeOf = (type: string) => types[type] ?? tested;
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	const workflow = new Workflow({
		id: run.workflowId,
		nodes: [plainNode('start'), plainNode(LOOP), ...nodes],
		connections: {
			start: { main: [to(LOOP)] },
			[LOOP]: { main: [...nodes.map(({ name }) => to(name)), []] },
			...Object.fromEntries(nodes.map(({ name }) => [name, { main: [to(LOOP)] }])),
		},
		active: false,
		settings: { executionOrder: 'v1' },
		nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
	});
	const running = startWorkflow(workflow, run.mode, run.credential);
	run.signal.addEventListener('abort', () => running.cancel(), { once: true });
	await running;
}

/** Begins with the node `start`, in n8n's own execution, of which only what needs a database is replaced. */
export function startWorkflow(
	workflow: Workflow,
	mode: WorkflowExecuteMode = 'trigger',
	credential: ICredentialDataDecryptedObject = {},
) {
	const additional = {
		...additionalData(credential, new DocumentIntelligenceApi(), randomUUID()),
		hooks: { runHook: async () => await Promise.resolve(), addHandler: () => undefined },
		webhookWaitingBaseUrl: 'http://localhost/webhook',
		formWaitingBaseUrl: 'http://localhost/form',
		setExecutionStatus: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
	const startNode = workflow.getNode('start') ?? undefined;
	return new WorkflowExecute(additional, mode).run({ workflow, startNode });
}

export function plainNode(name: string): INode {
	const place: [number, number] = [0, 0];
	return { id: name, name, type: name, typeVersion: 1, position: place, parameters: {} };
}
