import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useStoredHistory, type StoredHistory } from '../../../../n8n-core/history';
import type { NodeRun } from '../../../../n8n-core/runNode';
import { until } from '../../../clock';
import { thrownBy, useService } from '../../../service';

export const skip = { options: { processedBefore: 'skip' } };
export const reuse = { options: { processedBefore: 'reuse' } };

export const inTurn = { options: { concurrency: 1 } };
/** On a clock that is 100 times as fast, the usual Timeout would be three seconds. */
export const asJob = { options: { processing: 'job', timeout: 3600 } };

/** An answer that the test asks for, or never. */
export const late = { kind: 'late' as const, ms: 60_000 };

/** The parameters of both, and their options. */
export const combined = (one: IDataObject, other: IDataObject): IDataObject => ({
	...one,
	...other,
	options: { ...(one.options as IDataObject), ...(other.options as IDataObject) },
});

/** A job that does not finish in time, which is 0.2 s, while its upload has 20. */
export const asLongJob = combined(asJob, { options: { timeout: 20 } });

export const messagesOf = ({ hints }: { hints: Array<{ message: string }> }) =>
	hints.map(({ message }) => message);

/** The files of the items, `failed` for those without a result. */
export const namesIn = ({ items }: { items: INodeExecutionData[] }) =>
	items.map(({ json }) => (json.error === undefined ? json.fileName : 'failed'));

/** As n8n repeats a run that fails. */
const RETRIED = { retryOnFail: true, maxTries: 3 };

/** Runs of Extract, one after the other, and what they send. n8n's history is empty before each test. */
export function useRuns() {
	const service = useService({ requestsPerWindow: 1_000_000 });
	let seen = 0;
	let history: StoredHistory;
	let executionId = '';

	beforeEach(async () => {
		seen = 0;
		history = await useStoredHistory();
		beginExecution();
	});

	const extract = async (
		items: INodeExecutionData[],
		parameters: IDataObject = {},
		more: Partial<NodeRun> = {},
	) => await service.run({ operation: 'extract', ...parameters }, items, more);

	/** For the attempts to come; a test begins with one of its own. */
	const beginExecution = () => void (executionId = randomUUID());

	/** A run with Retry On Fail, of the same execution as the others of its test. */
	const attempt = async (...[items, parameters, more]: Parameters<typeof extract>) =>
		await extract(items, parameters, { executionId, node: RETRIED, ...more });

	const files = async () => (await service.files()).map(({ fileName }) => fileName);

	/** The names of the files that were sent since the last call. */
	async function sentFiles(): Promise<string[]> {
		const names = await files();
		return names.slice(seen, (seen = names.length)).sort();
	}

	const requests = async (step: string) =>
		(await service.calls()).filter((call) => call.step === step).length;

	/** Rejected after all others have been sent. */
	const reject = async (match: string, times = 1) =>
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, match, times }]);

	const hasArrived = async () => {
		const calls = await service.calls();
		return calls.length > 0 && calls.every((call) => call.receivedBytes === call.contentLength);
	};

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

	/** A run that begins while answers are late, and gets them. */
	async function whileLate(...parameters: Parameters<typeof extract>) {
		const running = extract(...parameters);
		// It waits for them by then.
		await sleep(300);
		await service.standIn.answerNow();
		return await running;
	}

	/** A run that fails at its last file, when the others have been answered. */
	async function failingRun(items: INodeExecutionData[], parameters: IDataObject = {}) {
		await reject(`${items.length - 1}.pdf`);
		return await thrownBy(extract(items, combined(parameters, inTurn)));
	}

	return {
		service,
		history: () => history,
		extract,
		beginExecution,
		attempt,
		sentFiles,
		/** How many documents were sent directly, and how many as jobs. */
		sent: async () => await requests('process'),
		submitted: async () => await requests('submit'),
		requests,
		reject,
		hasArrived,
		haveAllEnded,
		stopped,
		whileLate,
		failingRun,
	};
}
