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

export function operationNamed(value: string): Operation {
	return operations.find((operation) => operation.value === value) ?? extract;
}
