import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Settings } from '../stand-in/startStandIn';
import { fastLimiters, fastWindowMs } from './fastLimiters';
import { useService, WAITED, type TestedService } from './service';

/** How much faster than the machine's the clock of a run is. */
const SPEED = 20;

/** A stand-in on which jobs take no time, and a node on a fast clock, for tests of operations on jobs and stored files. */
export function useJobs(settings: Partial<Settings> = {}) {
	const service: TestedService = useService({
		jobRunMs: 0,
		jobQueueMs: 0,
		windowMs: fastWindowMs(SPEED),
		requestsPerWindow: 1000,
		...settings,
	});
	const run: TestedService['run'] = async (parameters, items, more = {}) => {
		const limiters = fastLimiters(SPEED);
		const result = await service.run(parameters, items, { limiters, ...more });
		const hints = result.hints.map((hint) => ({
			...hint,
			message: hint.message.replace(WAITED, '').trim(),
		}));
		return { ...result, hints: hints.filter(({ message }) => message !== '') };
	};
	const operationsOf =
		(resource: string) =>
		async (
			operation: string,
			items: INodeExecutionData[] = [{ json: {} }],
			parameters: IDataObject = {},
			more: Parameters<typeof run>[2] = {},
		) =>
			await run({ resource, operation, ...parameters }, items, more);
	return {
		service,
		run,
		/** With On Error: Continue. */
		goOn: { onError: 'continueRegularOutput' as const },
		/** Runs an operation of the resource Job. */
		job: operationsOf('job'),
		/** Runs an operation of the resource Stored File. */
		storedFile: operationsOf('storedFile'),
		/** The steps of the requests that arrived, in order. */
		steps: async () => (await service.calls()).map(({ step }) => step),
		sandbox: () => ({
			credential: { ...service.credential, apiKey: 'xtkt_test_0001_sandbox_key' },
		}),
	};
}

/** Items as an earlier node outputs them, paired with what they came from. */
export function asInput(items: INodeExecutionData[]): INodeExecutionData[] {
	return items.map(({ json }) => ({ json }));
}

/** Without what each answer has of its own: IDs, times, and links that are signed. */
export function comparable({ json, binary, pairedItem }: INodeExecutionData): unknown {
	const { extractionId, createdDate, imageUrl, ...rest } = json;
	const own = [extractionId, createdDate, imageUrl].map((value) => typeof value);
	const files = Object.entries(binary ?? {}).map(([field, { fileName, mimeType }]) => [
		field,
		fileName,
		mimeType,
	]);
	return { json: rest, names: Object.keys(json), own, files, pairedItem };
}

/** References and IDs that cannot be ones of the service: blank, of another type, or damaged. */
export const NOT_IDENTIFIERS: Array<[value: unknown, message: RegExp]> = [
	['', /is empty$/],
	[null, /is empty$/],
	[{ id: 1 }, /is not a valid ID or reference$/],
	['a b', /is not a valid ID or reference$/],
	['a\u200bb', /is not a valid ID or reference$/],
	['..', /is not a valid ID or reference$/],
	['https://ann:p4ss@example.com/a?sig=p4ss', /is not a valid ID or reference$/],
	['xtkt_live_p4ss', /is not a valid ID or reference$/],
	['Data:text/plain,p4ss', /is not a valid ID or reference$/],
	['x'.repeat(1001), /is not a valid ID or reference$/],
];
