import type { Job } from '../../service/jobs/job';
import type { DocumentOperation } from '../operation';
import { classify } from './classify';
import { crop } from './crop';
import { extract } from './extract';
import { faceMatch } from './faceMatch';
import { split } from './split';
import { zeroShot } from './zeroShot';

/** In the order of the menu, which is that of their names. A new operation is a file and a line here. */
export const documentOperations: readonly DocumentOperation[] = [
	classify,
	crop,
	zeroShot,
	extract,
	faceMatch,
	split,
];

/** The operation of a job; undefined for one that the node does not have. */
export function operationOf({ operation }: Job): DocumentOperation | undefined {
	const wanted = operation?.toLowerCase() ?? '';
	return documentOperations.find(({ jobOperation }) => jobOperation?.toLowerCase() === wanted);
}
