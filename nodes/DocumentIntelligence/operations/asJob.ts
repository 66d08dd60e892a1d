import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { choiceIn } from '../parameters/choices';
import { PROCESSING } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { readTemplate, TEMPLATE } from '../parameters/template';
import { identifierIn } from '../parameters/identifier';
import { textsOf, type Operation } from './operation';
import { readsStoredFile } from './storedFile';

/** Files of jobs are stored first, and stored files have a limit of their own (docs/service-contract.md, stored files). */
export const MAX_JOB_FILE_BYTES = 10 * MB;

/** How many jobs of a run are waited for at once: as many as one look at the list of jobs shows. */
export const MAX_JOBS = 100;

/** What a document is processed as, where that is a job. */
export interface JobPlan {
	/** As the service calls the operation of the job. */
	operation: string;
	templateId: string | undefined;
}

/**
 * Undefined where the service picks the template.
 *
 * @throws DocumentError
 */
export function readTemplateId(read: ReadParameter): string | undefined {
	const id = identifierIn(
		readTemplate(read),
		TEMPLATE.displayName,
		'Choose a template from the list, or clear the field to let the service pick one.',
	);
	return id === '' ? undefined : id;
}

/** @returns undefined where the document is processed directly, which nothing else knows */
export function readJobPlan(
	{ jobOperation, parameters }: Operation,
	read: ReadParameter,
): JobPlan | undefined {
	if (jobOperation === undefined) return undefined;
	const templateId = parameters.some(({ name }) => name === 'templateId')
		? readTemplateId(read)
		: undefined;
	const processing = read<unknown>(`options.${PROCESSING.name}`, PROCESSING.default);
	const isJob = choiceIn(PROCESSING, processing).value === 'job' || readsStoredFile(read);
	return isJob || templateId !== undefined ? { operation: jobOperation, templateId } : undefined;
}

/** What a job cannot be given, said before anything is sent. */
export function refusalOfJob(operation: Operation, read: ReadParameter): DocumentError | undefined {
	const plan = readJobPlan(operation, read);
	if (plan === undefined) return undefined;
	if (textsOf(operation, read).length === 0) return undefined;
	return new DocumentError(
		'A job takes no Additional Instructions',
		`${adviceFor(plan, read)} Nothing was sent.`,
	);
}

function adviceFor({ templateId }: JobPlan, read: ReadParameter): string {
	if (readsStoredFile(read))
		return 'A file that the service has stored is processed as a job: clear Additional Instructions.';
	return templateId === undefined
		? 'Set Processing to Direct, or clear Additional Instructions.'
		: 'A document with a chosen Template is processed as a job: clear Template or Additional Instructions.';
}
