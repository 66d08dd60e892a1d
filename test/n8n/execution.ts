import type {
	ExecutionStatus,
	IBinaryData,
	INodeExecutionData,
	IRunData,
	ITaskData,
} from 'n8n-workflow';

/** What n8n itself recorded about one run of a workflow. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	/** What stopped the workflow, as n8n stores it. Absent when it went through. */
	error?: ExecutionError;
	lastNode?: string;
	/** The record of every node, by its name, one entry per time it ran. */
	runData: IRunData;
	/** The items a node gave in its only (or given) run. Output 1 is the error output of a node that has one output. */
	items(node: string, output?: number, run?: number): INodeExecutionData[];
	/** The record of one node: status, error, hints, time. */
	record(node: string, run?: number): ITaskData;
}

interface ExecutionError {
	message: string;
	description?: string | null;
}

/** The part of n8n's stored run that is read here. */
export interface StoredRun {
	status?: ExecutionStatus;
	data: { resultData: { runData: IRunData; error?: ExecutionError; lastNodeExecuted?: string } };
}

export function toExecution(run: StoredRun, id: string): Execution {
	const { runData, error, lastNodeExecuted } = run.data.resultData;

	const record = (node: string, at = 0): ITaskData => {
		const task = runData[node]?.[at];
		if (task === undefined)
			throw new Error(
				`node "${node}" has no run ${at}; nodes that ran: ${Object.keys(runData).join(', ')}`,
			);
		return task;
	};

	return {
		id,
		status: run.status ?? (error ? 'error' : 'success'),
		error,
		lastNode: lastNodeExecuted,
		runData,
		items: (node, output = 0, at = 0) => record(node, at).data?.main?.[output] ?? [],
		record,
	};
}

/** The bytes of a file n8n holds inside the item. A file it stored elsewhere has an id and must be fetched from the server. */
export function inlineBytes(file: IBinaryData): Buffer {
	if (file.id) throw new Error(`"${file.fileName}" is stored outside the item, as ${file.id}`);
	return Buffer.from(file.data, 'base64');
}
