import { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	IPollFunctions,
	Workflow,
} from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligenceTrigger } from '../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { pollJobs, type Polls } from '../../nodes/DocumentIntelligence/trigger/poll';
import type { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { nodeWith } from './node';
import { additionalData, workflowOf } from './runNode';

type StaticData = Record<string, IDataObject>;

interface Active {
	workflow: Workflow;
	context: IPollFunctions;
}

/** An n8n in which a workflow with the trigger is active or not, as far as polls are concerned. */
export class PolledNode {
	/** The items of each start of the workflow, in order. */
	readonly starts: INodeExecutionData[][] = [];

	/** What n8n would log of the node at the level warn. */
	readonly warnings: string[] = [];

	/** The same at the level debug. */
	readonly debugLines: Array<[message: string, counts?: object]> = [];

	/** Of the workflow in the database. */
	saved: StaticData = {};

	#polls: Polls = new Map();

	#active: Active | undefined;

	constructor(
		private readonly setting: {
			parameters?: IDataObject;
			credential: ICredentialDataDecryptedObject;
			limiters: Limiters;
			/** What n8n 2 says to a poll that it may end. */
			budgetMs?: number;
			workflowId?: string;
			nodeId?: string;
			nodeName?: string;
			/** Of another trigger of the workflow, which is not polled. */
			neighborId?: string;
			/** As a durable scheduler does: it reads the workflow for each poll, and saves nothing if that finds nothing. */
			isDurable?: boolean;
			credentialId?: string;
		},
	) {}

	/** Changes what the user has set, for the next activation. */
	set(changes: Partial<typeof this.setting>): void {
		Object.assign(this.setting, changes);
	}

	/** As n8n does: it polls at once, and what that throws keeps the workflow inactive. */
	async activate(): Promise<void> {
		const active = this.#load();
		const found = await this.#poll(active.context);
		if (found !== null) this.#emit(found);
		this.#active = active;
		if (found !== null || this.setting.isDurable !== true) this.#save(active.workflow);
	}

	deactivate(): void {
		this.#active = undefined;
	}

	/** Simulates a restart: only the database remains. */
	async restart(): Promise<void> {
		this.#polls = new Map();
		await this.activate();
	}

	/** A poll at its time: n8n saves what the node remembers only where the workflow starts. */
	async tick(): Promise<number> {
		const active = this.setting.isDurable === true ? this.#load() : this.#active!;
		const found = await this.#poll(active.context);
		if (found === null) return 0;
		this.#save(active.workflow);
		this.#emit(found);
		return found[0]?.length ?? 0;
	}

	/** A poll during which the workflow is deactivated: n8n 2 discards what it returns, and saves nothing. */
	async discardedTick(): Promise<void> {
		await this.#poll(this.#active!.context);
		this.deactivate();
	}

	async fetchTestEvent(): Promise<INodeExecutionData[]> {
		const found = await this.#poll(this.#context(this.#workflow({}), 'manual'));
		return found?.[0] ?? [];
	}

	/** All items that have started the workflow. */
	get items(): IDataObject[] {
		return this.starts.flat().map(({ json }) => json);
	}

	get jobIds(): unknown[] {
		return this.items.map(({ jobId }) => jobId);
	}

	#load(): Active {
		const workflow = this.#workflow(structuredClone(this.saved));
		return { workflow, context: this.#context(workflow, 'trigger') };
	}

	async #poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollJobs(context, this.setting.limiters, this.#polls);
	}

	#emit(found: INodeExecutionData[][]): void {
		// As the execution gets them: saved in between.
		this.starts.push(structuredClone(found[0] ?? []));
	}

	#save(workflow: Workflow): void {
		this.saved = JSON.parse(JSON.stringify(workflow.staticData)) as StaticData;
	}

	#workflow(staticData: StaticData): Workflow {
		const {
			parameters = {},
			nodeId,
			nodeName,
			credentialId,
			workflowId,
			neighborId,
		} = this.setting;
		const node: INode = {
			...nodeWith(parameters as INode['parameters']),
			id: nodeId ?? 'trigger',
			name: nodeName ?? 'Document Intelligence Trigger',
			type: 'n8n-nodes-document-intelligence.documentIntelligenceTrigger',
		};
		if (credentialId !== undefined) node.credentials!.documentIntelligenceApi!.id = credentialId;
		const more = { workflowId, staticData };
		const workflow = workflowOf(node, new DocumentIntelligenceTrigger(), more);
		if (neighborId !== undefined)
			workflow.nodes.Neighbor = { ...node, id: neighborId, name: 'Neighbor' };
		return workflow;
	}

	#context(workflow: Workflow, mode: 'trigger' | 'manual'): IPollFunctions {
		const { credential, budgetMs } = this.setting;
		const context = new PollContext(
			workflow,
			Object.values(workflow.nodes)[0]!,
			additionalData(credential, new DocumentIntelligenceApi()),
			mode,
			mode === 'manual' ? 'manual' : 'activate',
		);
		const debug = (...line: [string, object?]) => this.debugLines.push(line);
		const warn = (message: string) => this.warnings.push(message);
		Object.defineProperty(context, 'logger', { value: { debug, warn } });
		if (budgetMs !== undefined) Object.assign(context, { getPollBudgetMs: () => budgetMs });
		return context;
	}
}
