import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storeFile, useBinaryMode, type NodeRun } from '../../../../n8n-core/runNode';
import { numberedInvoice } from '../../../samples';
import { thrownBy, useService } from '../../../service';

/** So many items with an invoice of its own each: `0.pdf`, `1.pdf` and so on. */
export async function distinctItems(count: number): Promise<INodeExecutionData[]> {
	return await Promise.all(
		Array.from({ length: count }, async (_, number) => ({
			json: {},
			binary: {
				data: await storeFile(numberedInvoice(`R-${number}`), `${number}.pdf`, 'application/pdf'),
			},
		})),
	);
}

export const messagesOf = ({ hints }: { hints: Array<{ message: string }> }) =>
	hints.map(({ message }) => message);

export const fromEarlierRun = (count: number) =>
	`${count} results were paid for by an earlier run that did not pass its results on. To process the same files anew, execute again with Process Again in 'Files Processed Before'.`;

export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
	while (!(await holds())) await sleep(20);
}

/** Runs of Extract, one after the other, and what they send. */
export function useRuns() {
	const service = useService();
	let seen = 0;

	beforeAll(async () => await useBinaryMode('filesystem'));
	beforeEach(() => (seen = 0));

	const extract = async (
		items: INodeExecutionData[],
		parameters: IDataObject = {},
		more: Partial<NodeRun> = {},
	) => await service.run({ operation: 'extract', ...parameters }, items, more);

	/** The names of the files that were sent since the last call. */
	async function sentFiles(): Promise<string[]> {
		const files = await service.files();
		return files
			.slice(seen, (seen = files.length))
			.map(({ fileName }) => fileName)
			.sort();
	}

	/** Rejected after all others have been sent. */
	const reject = async (name: string) =>
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, match: name }]);

	const hasArrived = async () => (await service.calls()).length > 0;

	const haveAllEnded = async () => (await service.calls()).every(({ endedAt }) => endedAt !== null);

	/** What a run throws that the user stops when this holds, and its requests are sent. */
	async function stopped(
		holds: Parameters<typeof until>[0],
		...[items, parameters, more]: Parameters<typeof extract>
	) {
		const stop = new AbortController();
		const running = thrownBy(extract(items, parameters, { ...more, signal: stop.signal }));
		await until(holds);
		await sleep(200);
		stop.abort();
		return await running;
	}

	/** A run that fails at its last file, when the others have been answered. */
	async function failingRun(items: INodeExecutionData[], parameters: IDataObject = {}) {
		await reject(`${items.length - 1}.pdf`);
		const { options, ...others } = parameters;
		return await thrownBy(
			extract(items, { ...others, options: { ...(options as IDataObject), concurrency: 1 } }),
		);
	}

	return { service, extract, sentFiles, reject, hasArrived, haveAllEnded, stopped, failingRun };
}
