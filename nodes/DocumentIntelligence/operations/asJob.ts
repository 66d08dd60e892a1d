import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { choiceIn } from '../parameters/choices';
import { identifierIn } from '../parameters/identifier';
import { PROCESSING } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { readTemplate, TEMPLATE } from '../parameters/template';
import { textsOf, type InputItem, type Operation } from './operation';
import { readsStoredFile } from './storedFile';

/** Files of jobs are stored first, and stored files have a limit of their own (docs/internals/service-contract.md, stored files). */
export const MAX_JOB_FILE_BYTES = 10 * MB;

/** How many jobs of a run are waited for at once: as many as one request for the list of jobs shows. */
export const MAX_JOBS = 100;

/** What a document is processed as if that is a job. */
export interface JobPlan {
	/** As the service calls the operation of the job. */
	operation: string;
	templateId: string | undefined;
}

/**
 * The chosen template, or undefined if Cogneris picks one.
 *
 * @throws DocumentError
 */
export function readTemplateId(read: ReadParameter): string | undefined {
	const id = identifierIn(
		readTemplate(read),
		TEMPLATE.displayName,
		'Choose a template from the list, or clear the field to let Cogneris pick one.',
	);
	return id === '' ? undefined : id;
}

/** @returns undefined if the document is processed directly, which nothing else knows */
export function readJobPlan(
	{ jobOperation, parameters }: Operation,
	{ read, isSandbox }: Pick<InputItem, 'read' | 'isSandbox'>,
): JobPlan | undefined {
	if (jobOperation === undefined) return undefined;
	const takesTemplate = parameters.some(({ name }) => name === TEMPLATE.name);
	const templateId = takesTemplate ? readTemplateId(read) : undefined;
	const given = read<unknown>(`options.${PROCESSING.name}`, PROCESSING.default);
	const { value } = choiceIn(PROCESSING, given);
	// Only jobs take a template or a stored file.
	const isJob = readsStoredFile(read) || templateId !== undefined || value === 'job';
	const isAutomatic = value === 'automatic' && isSandbox;
	return isJob || isAutomatic ? { operation: jobOperation, templateId } : undefined;
}

/** Why a document cannot be processed in the way that is chosen, said before anything is sent. */
export function refusalOfProcessing(
	operation: Operation,
	item: Pick<InputItem, 'read' | 'isSandbox'>,
	subject: string,
): DocumentError | undefined {
	if (operation.ask !== undefined) return undefined;
	const { read, isSandbox } = item;
	const plan = readJobPlan(operation, item);
	if (plan === undefined) return isSandbox ? directInSandbox(operation, subject) : undefined;
	if (textsOf(operation, read).length === 0) return undefined;
	return new DocumentError(
		"A job takes no 'Additional Instructions'",
		`${adviceFor(plan, item)} Nothing was sent.`,
	);
}

function directInSandbox({ jobOperation, name }: Operation, subject: string): DocumentError {
	return jobOperation === undefined
		? new DocumentError(`${name} needs a live key (xtkt_live_), so ${subject} was not sent`, '')
		: new DocumentError(
				`This is a sandbox key, which works with jobs only, so ${subject} was not sent`,
				"Set 'Processing' to Automatic or As a Job, or use a live key (xtkt_live_).",
			);
}

function adviceFor(
	{ templateId }: JobPlan,
	{ read, isSandbox }: Pick<InputItem, 'read' | 'isSandbox'>,
): string {
	if (readsStoredFile(read))
		return "A stored file is processed as a job: clear 'Additional Instructions'.";
	if (templateId !== undefined)
		return "A document with a chosen template is processed as a job: clear 'Template' or 'Additional Instructions'.";
	return isSandbox
		? "A sandbox key processes documents as jobs: clear 'Additional Instructions', or use a live key (xtkt_live_)."
		: "Set 'Processing' to Automatic or Direct, or clear 'Additional Instructions'.";
}
