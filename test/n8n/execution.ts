import type { ExecutionStatus, INodeExecutionData, IRunData, ITaskData } from 'n8n-workflow';

/** What n8n itself recorded about one run of a workflow. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	/** What stopped the workflow, as n8n stores it. Absent when it went through. */
	error?: ExecutionError;
	lastNode?: string;
	/** The record of every node, by its name, one entry per time it ran. */
	runData: IRunData;
	/** The items a node gave in its first run. Output 1 is the error output of a node that has one output. */
	items(node: string, output?: number): INodeExecutionData[];
	/** The record of a node's first run: status, error, hints, time. */
	record(node: string): ITaskData;
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
	const record = (node: string): ITaskData => {
		const [task] = runData[node] ?? [];
		if (task === undefined)
			throw new Error(`node "${node}" did not run, but ${Object.keys(runData).join(', ')}`);
		return task;
	};
	return {
		id,
		status: run.status ?? (error ? 'error' : 'success'),
		error,
		lastNode: lastNodeExecuted,
		runData,
		items: (node, output = 0) => record(node).data?.main?.[output] ?? [],
		record,
	};
}
