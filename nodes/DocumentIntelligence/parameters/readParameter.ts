import type { IExecuteFunctions } from 'n8n-workflow';

/** Reads a parameter for one item, so that expressions see that item. */
export type ReadParameter = <T>(name: string, fallback: T) => T;

export function parameterReader(context: IExecuteFunctions, itemIndex: number): ReadParameter {
	return (name, fallback) => context.getNodeParameter(name, itemIndex, fallback) as typeof fallback;
}
