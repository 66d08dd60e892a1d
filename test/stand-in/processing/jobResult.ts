import { jobResults } from '../contract/results';
import { errorsIn, inWords } from '../contract/validator';
import type { JobOperation } from '../state/jobs';
import type { Service } from '../state/service';

/**
 * The stored result of a job, from what the operation answers directly. `Metadata` has a capital in any case; that of the
 * other names is open (docs/internals/service-contract.md, Jobs).
 */
export function jobResult(
	operation: JobOperation,
	data: unknown,
	{ settings, violations }: Pick<Service, 'settings' | 'violations'>,
): unknown {
	const reasons = errorsIn(jobResults[operation] ?? {}, data).map(inWords);
	if (reasons.length > 0)
		violations.push({ sequence: 0, path: `the result of a ${operation}`, reasons });
	return settings.jobResultCase === 'pascal' ? inPascalCase(data) : withMetadata(data);
}

/** The names in `Metadata` are the template's own. */
function inPascalCase(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inPascalCase);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [
			name.charAt(0).toUpperCase() + name.slice(1),
			name === 'metadata' ? inner : inPascalCase(inner),
		]),
	);
}

function withMetadata(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || !('metadata' in value)) return value;
	const { metadata, ...others } = value;
	return { ...others, Metadata: metadata };
}
