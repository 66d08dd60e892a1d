import { createHash } from 'node:crypto';

import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationItemTypes,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

interface Row {
	mode: string;
	data: string[];
}

/** Called in each call that writes; what it throws, or that it never returns, ends the call there. */
type Interruption = (when: 'beforeWrite' | 'afterWrite') => Promise<void> | void;

/**
 * n8n's deduplication history without its database: hashed entries in one row for each workflow, read and written
 * whole with a pause in between, cut off at the oldest (docs/internals/n8n-behavior.md, deduplication).
 */
export class StoredHistory implements IDataDeduplicator {
	readonly rows = new Map<string, string>();

	/** Calls in flight for the same workflow at the same time, which n8n would lose one of. */
	mostAtOnce = 0;

	interrupt: Interruption = () => undefined;

	#inFlight = 0;

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		_scope: string,
		{ workflow }: ICheckProcessedContextData,
		{ mode, maxEntries = 0 }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		return await this.#change(workflow.id, (row) => {
			if (row !== undefined && row.mode !== mode)
				throw new Error(
					'Deduplication Failed: saved with an incompatible setting of the parameter',
				);
			const data = row?.data ?? [];
			const known = new Set(data);
			const output: IDeduplicationOutput = { new: [], processed: [] };
			for (const item of items) {
				output[known.has(hash(item)) ? 'processed' : 'new'].push(item);
				if (!known.has(hash(item))) data.push(hash(item));
			}
			if (maxEntries > 0) data.splice(0, data.length - maxEntries);
			return [{ mode, data }, output];
		});
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		_scope: string,
		{ workflow }: ICheckProcessedContextData,
	): Promise<void> {
		await this.#change(workflow.id, (row) => {
			for (const item of items) {
				const place = row?.data.indexOf(hash(item)) ?? -1;
				if (place >= 0) row?.data.splice(place, 1);
			}
			return [row, undefined];
		});
	}

	clearAllProcessedItems(_scope: string, { workflow }: ICheckProcessedContextData): Promise<void> {
		this.rows.delete(workflow.id);
		return Promise.resolve();
	}

	getProcessedDataCount(): Promise<number> {
		throw new Error('Nothing here counts the entries.');
	}

	async #change<Result>(
		workflowId: string,
		change: (row: Row | undefined) => [Row | undefined, Result],
	): Promise<Result> {
		if (!workflowId) throw new Error('The workflow has no id.');
		this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#inFlight);
		try {
			const stored = this.rows.get(workflowId);
			await new Promise(setImmediate);
			const [row, result] = change(stored === undefined ? undefined : (JSON.parse(stored) as Row));
			await this.interrupt('beforeWrite');
			if (row !== undefined) this.rows.set(workflowId, JSON.stringify(row));
			await this.interrupt('afterWrite');
			return result;
		} finally {
			this.#inFlight -= 1;
		}
	}
}

function hash(item: DeduplicationItemTypes): string {
	return createHash('md5').update(item.toString()).digest('base64');
}

/** An empty history for the runs from now on. */
export async function useStoredHistory(): Promise<StoredHistory> {
	const history = new StoredHistory();
	// n8n takes a store once for all, and is loaded once for the suites of a worker.
	Object.assign(DataDeduplicationService, { instance: undefined });
	await DataDeduplicationService.init(history);
	return history;
}
