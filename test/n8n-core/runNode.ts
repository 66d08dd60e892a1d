import 'reflect-metadata';
import { userFolder } from './userFolder';

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService, ExecuteContext, LoadOptionsContext } from 'n8n-core';
import {
	Workflow,
	type IBinaryData,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IExecuteData,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeType,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	type NodeExecutionHint,
	type OnError,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import type { LedgerMemory } from '../../nodes/DocumentIntelligence/run/ledger/memory';
import type { Locks } from '../../nodes/DocumentIntelligence/waiting/waiting';
import { runItems } from '../../nodes/DocumentIntelligence/run/runItems';
import type { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { nodeWith } from './node';

/** Where n8n keeps files: by id in a folder, or as base64 inside the items. */
export type BinaryMode = 'filesystem' | 'default';

export interface NodeRun {
	parameters: IDataObject;
	items: INodeExecutionData[];
	credential: ICredentialDataDecryptedObject;
	onError?: OnError;
	signal?: AbortSignal;
	settings?: IWorkflowSettings;
	/** What a process of its own has, here with a clock that hardly waits; otherwise those of the process. */
	limiters?: Limiters;
	locks?: Locks;
	memory?: LedgerMemory;
	/** What its node has beyond its parameters. */
	node?: Partial<INode>;
	/** Null for a workflow that was never saved. */
	workflowId?: string | null;
	/** How the execution was started: `trigger` unless a test is about the editor (`manual`). */
	mode?: WorkflowExecuteMode;
	/** For runs of one execution, such as attempts of Retry On Fail; otherwise each run is an execution. Null for none. */
	executionId?: string | null;
	/** Of this node in its execution, as in a loop. */
	runIndex?: number;
	/** For the packed node; the sources are the default. */
	types?: { node: INodeType; credential: ICredentialType };
}

export interface NodeResult {
	items: INodeExecutionData[];
	hints: NodeExecutionHint[];
}

/** Chooses where n8n keeps files from now on. */
export async function useBinaryMode(mode: BinaryMode): Promise<void> {
	Object.assign(Container.get(BinaryDataConfig), {
		mode,
		localStoragePath: join(userFolder, 'binary'),
	});
	await Container.get(BinaryDataService).init();
}

/** Puts a file where n8n would, and gives what an item holds of it. */
export async function storeFile(
	content: Buffer | Readable,
	fileName: string | undefined,
	mimeType: string,
): Promise<IBinaryData> {
	const location = { type: 'execution' as const, workflowId: 'workflow', executionId: 'execution' };
	const file = { data: '', mimeType, fileName };
	return await Container.get(BinaryDataService).store(location, content, file);
}

/** The bytes of a file of an item, wherever they are. */
export async function readFileOf(binary: IBinaryData): Promise<Buffer> {
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}

/**
 * Runs the node in n8n-core's own ExecuteContext, with n8n's request, binary and parameter handling.
 * Only what needs a database is replaced: credentials come from the caller.
 */
export async function runNode(run: NodeRun): Promise<NodeResult> {
	const { node: nodeType, credential: credentialType } = run.types ?? {
		node: new DocumentIntelligence(),
		credential: new DocumentIntelligenceApi(),
	};
	const node = { ...nodeWith(run.parameters as INodeParameters, run.onError), ...run.node };
	const workflow = workflowOf(node, nodeType, run);
	const executeData: IExecuteData = { node, data: { main: [run.items] }, source: null };
	const context = new ExecuteContext(
		workflow,
		// The workflow has filled in the defaults of the node's parameters.
		workflow.getNode(node.name) ?? node,
		additionalData(run.credential, credentialType, run.executionId),
		run.mode ?? 'trigger',
		{ resultData: { runData: {} }, executionData: {} } as unknown as IRunExecutionData,
		run.runIndex ?? 0,
		run.items,
		executeData.data,
		executeData,
		[],
		run.signal,
	);
	const { limiters, locks, memory } = run;
	const isOwnProcess = limiters !== undefined || locks !== undefined || memory !== undefined;
	const running = isOwnProcess
		? runItems(context, limiters, locks, memory)
		: nodeType.execute?.call(context);
	const [items = []] = (await running) as INodeExecutionData[][];
	return { items, hints: context.hints };
}

/** Asks for the list of a resource locator as the editor does: its entries, and the token of the next page. */
export async function searchList(
	method: string,
	credential: ICredentialDataDecryptedObject,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const nodeType = new DocumentIntelligence();
	const node = nodeWith({});
	const additional = additionalData(credential, new DocumentIntelligenceApi());
	const context = new LoadOptionsContext(workflowOf(node, nodeType), node, additional, '');
	const search = new Map(Object.entries(nodeType.methods.listSearch)).get(method);
	return await search!.call(context, filter, paginationToken);
}

export function workflowOf(
	node: INode,
	nodeType: INodeType,
	more: Pick<NodeRun, 'workflowId' | 'settings'> & { staticData?: IDataObject } = {},
): Workflow {
	const { workflowId = 'workflow', settings, staticData } = more;
	return new Workflow({
		id: workflowId ?? undefined,
		name: 'Test',
		nodes: [node],
		connections: {},
		active: false,
		settings,
		staticData,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});
}

export function additionalData(
	credential: ICredentialDataDecryptedObject,
	type: ICredentialType,
	executionId: string | null = randomUUID(),
): IWorkflowExecuteAdditionalData {
	const credentialsHelper = {
		getDecrypted: () => Promise.resolve(structuredClone(credential)),
		getParentTypes: () => [],
		preAuthentication: () => Promise.resolve(undefined),
		getCredentialsProperties: () => type.properties,
		isCredentialUsableByNode: () => true,
		// The credential's own way of adding the key is what is tested.
		authenticate: async (
			data: ICredentialDataDecryptedObject,
			_name: string,
			request: IHttpRequestOptions,
		) => {
			if (typeof type.authenticate !== 'function')
				throw new Error('The credential has no authenticate function.');
			return await type.authenticate(data, request);
		},
	};
	return {
		credentialsHelper,
		executionId: executionId ?? undefined,
		restApiUrl: '',
		instanceBaseUrl: '',
		variables: {},
		currentNodeExecutionIndex: 0,
	} as unknown as IWorkflowExecuteAdditionalData;
}
