import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storedSample } from './samples';
import { useService } from './service';

/** A sample under another name. */
export type Sample = [sample: string, name: string];

async function itemWith(...samples: Sample[]): Promise<INodeExecutionData> {
	const files = samples.map(async ([sample, name], position) => [
		`attachment_${position}`,
		await storedSample(sample, name),
	]);
	const binary = Object.fromEntries(await Promise.all(files)) as INodeExecutionData['binary'];
	return { json: {}, binary };
}

/** An item for each name. */
const itemsOf = async (...names: string[]) =>
	await Promise.all(names.map(async (name) => await itemWith(['contract.pdf', name])));

/** Runs of Classify with as many files in a request as possible, unless the options say otherwise. */
export function useClassify() {
	const service = useService();
	const classify = async (
		items: INodeExecutionData[],
		options: IDataObject = {},
		more: Parameters<typeof service.run>[2] = {},
		parameters: IDataObject = {},
	) =>
		await service.run(
			{ operation: 'classify', options: { filesPerRequest: 20, ...options }, ...parameters },
			items,
			more,
		);
	return { service, classify, itemWith, itemsOf };
}
