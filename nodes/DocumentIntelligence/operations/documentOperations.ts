import { DocumentError } from '../text/errors';
import { PROCESSING, TEMPLATE } from '../parameters/options';
import { readTemplateId, type ReadParameter } from '../parameters/read';
import type { Job } from '../service/jobs/job';
import { classify } from './classify';
import { crop } from './crop';
import { extract } from './extract';
import { faceMatch } from './faceMatch';
import { textsOf, type Document, type DocumentOperation, type Operation } from './operation';
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

/** How many jobs of a run are waited for at once: as many as one request for the list of jobs shows. */
export const MAX_JOBS = 100;

export type JobPlan = NonNullable<ReturnType<typeof readJobPlan>>;

/** @returns undefined if the document is processed directly */
export function readJobPlan(
	{ jobOperation, parameters }: Operation,
	read: ReadParameter,
	isSandbox: boolean,
) {
	if (jobOperation === undefined) return undefined;
	const templateId = parameters.includes(TEMPLATE) ? readTemplateId(read) : undefined;
	const processing = read(`options.${PROCESSING.name}`, PROCESSING.default);
	const isChosen = processing === 'job' || (processing === 'automatic' && isSandbox);
	// Only jobs take a template or a stored file.
	const isStored = read<unknown>('inputSource', '') === 'storedFile';
	return isChosen || isStored || templateId !== undefined
		? { operation: jobOperation, templateId }
		: undefined;
}

/** Why a document cannot be processed in the way that is chosen, said before anything is sent. */
export function refusalOfProcessing(
	operation: Operation,
	{ item, subject }: Document,
	isJob: boolean,
	isSandbox: boolean,
): DocumentError | undefined {
	if (operation.ask !== undefined) return undefined;
	if (isSandbox && operation.jobOperation === undefined)
		return new DocumentError(
			`${operation.name} needs a live key, so ${subject} was not sent`,
			'Choose a credential with a live key (xtkt_live_). A sandbox key works with jobs only.',
		);
	if (!isJob && isSandbox)
		return new DocumentError(
			`A sandbox key works with jobs only, so ${subject} was not sent`,
			"Set 'Processing' to Automatic or As a Job, or use a live key (xtkt_live_).",
		);
	if (isJob && textsOf(operation, item.read).length > 0)
		return new DocumentError(
			"Jobs don't support 'Additional Instructions'",
			"Clear 'Additional Instructions', or set 'Processing' to Direct. Stored files, documents with a chosen template and all documents sent with a sandbox key are always processed as jobs. Nothing was sent.",
		);
	return undefined;
}
