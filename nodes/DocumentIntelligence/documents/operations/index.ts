import { DocumentError } from '../../errors';
import { classify } from './classify';
import { crop } from './crop';
import { extract } from './extract';
import { faceMatch } from './faceMatch';
import type { Operation } from '../operation';
import { split } from './split';
import { zeroShot } from './zeroShot';

/** Every operation, in the order of the menu. A new one is a file of its own and a line here. */
export const operations: readonly Operation[] = [
	classify,
	crop,
	zeroShot,
	extract,
	faceMatch,
	split,
];

/** @throws DocumentError when there is no such operation: another one in its place would be paid for */
export function operationNamed(value: unknown): Operation {
	const operation = operations.find((candidate) => candidate.value === value);
	if (operation !== undefined) return operation;
	throw new DocumentError(
		`Unknown operation ${JSON.stringify(value ?? '')}`,
		`Nothing was sent. Choose one from the Operation list (expressions are not supported): ${operations.map(({ name }) => name).join(', ')}. If the workflow was made with a newer version of this package, update the package.`,
	);
}
