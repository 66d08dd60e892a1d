import type { Settings } from '../settings';
import type { JobOperation } from '../state/jobs';

/**
 * The stored result of a job, from what the operation answers directly. The contract gives `Metadata` of Extraction and
 * ZeroShot, and leaves the other keys and the other operations open (docs/internals/service-contract.md, Jobs).
 */
export function jobResult(
	operation: JobOperation,
	data: unknown,
	letterCase: Settings['jobResultCase'],
): unknown {
	const shape = letterCase === 'pascal' ? inPascalCase : (value: unknown) => value;
	if (!hasMetadata(data) || (operation !== 'Extraction' && operation !== 'ZeroShot'))
		return shape(data);
	const { metadata, ...others } = data;
	return { ...(shape(others) as object), Metadata: metadata };
}

function hasMetadata(data: unknown): data is { metadata: unknown } {
	return typeof data === 'object' && data !== null && 'metadata' in data;
}

function inPascalCase(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inPascalCase);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [
			name.charAt(0).toUpperCase() + name.slice(1),
			inPascalCase(inner),
		]),
	);
}
