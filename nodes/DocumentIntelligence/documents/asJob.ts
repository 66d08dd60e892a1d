import { DocumentError } from '../errors';
import { MB } from '../text/bytes';
import { PROCESSING } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { readTemplateId } from '../parameters/template';
import type { CallSettings } from '../service/jobs/calls';
import { JobWatch } from '../service/jobs/jobWatch';
import { jobCallSettings, runJob } from '../service/jobs/runJob';
import type { Answer } from '../service/envelope';
import type { Session } from '../service/session';
import { textsOf, type Operation } from './operation';
import { Slots } from './slots';

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

/** @returns undefined where the document is processed directly, which nothing else knows */
export function readJobPlan(
	{ jobOperation, parameters }: Operation,
	read: ReadParameter,
): JobPlan | undefined {
	if (jobOperation === undefined) return undefined;
	const templateId = parameters.some(({ name }) => name === 'templateId')
		? readTemplateId(read)
		: undefined;
	const isJob = read<unknown>(`options.${PROCESSING.name}`, PROCESSING.default) === 'job';
	return isJob || templateId !== undefined ? { operation: jobOperation, templateId } : undefined;
}

/** What a job cannot be given, said before anything is sent. */
export function refusalOfJob(operation: Operation, read: ReadParameter): DocumentError | undefined {
	const plan = readJobPlan(operation, read);
	if (plan === undefined) return undefined;
	if (textsOf(operation, read).length === 0) return undefined;
	return new DocumentError(
		'A job takes no Additional Instructions',
		plan.templateId === undefined
			? 'Set Processing to Direct, or clear Additional Instructions. Nothing was sent.'
			: 'A document with a chosen Template is processed as a job: clear Template or Additional Instructions. Nothing was sent.',
	);
}

/** The jobs of an execution: how many files are uploaded at a time, and one watch for all that run. */
export class RunningJobs {
	#uploads: Slots | undefined;

	#watch: JobWatch | undefined;

	/**
	 * The way from a checked file to an answer by a job.
	 *
	 * @param settings how many files are uploaded at a time is that of the first document
	 */
	async ask(
		session: Session,
		plan: JobPlan,
		form: InstanceType<typeof FormData>,
		subject: string,
		{ timeoutSeconds, policy, uploads }: CallSettings & { uploads: number },
	): Promise<Answer> {
		if (session.account.isSandbox && plan.templateId !== undefined)
			throw new DocumentError(
				`A sandbox key cannot choose a template, so ${subject} was not sent`,
				'Clear Template, or use a live key (xtkt_live_).',
			);
		const settings = jobCallSettings({ timeoutSeconds, policy });
		const slots = (this.#uploads ??= new Slots(uploads));
		this.#watch ??= new JobWatch(session, settings);
		return await runJob(
			session,
			this.#watch,
			{ ...plan, subject, file: form, timeoutSeconds },
			settings,
			async (upload) => await slots.use(upload),
		);
	}
}
