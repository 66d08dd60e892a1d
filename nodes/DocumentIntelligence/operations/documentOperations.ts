import type { DocumentOperation } from './operation';
import { classify } from './classify';
import { crop } from './crop';
import { extract } from './extract';
import { faceMatch } from './faceMatch';
import { split } from './split';
import { zeroShot } from './zeroShot';

/** The operations of the resource Document, in the order of the menu. A new one is a file of its own and a line here. */
export const documentOperations: readonly DocumentOperation[] = [
	classify,
	crop,
	zeroShot,
	extract,
	faceMatch,
	split,
];
