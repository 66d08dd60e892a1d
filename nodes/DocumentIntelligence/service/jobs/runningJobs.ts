import { DocumentError } from '../../text/errors';
import type { Answer } from '../envelope';
import { getJob, listJobs, type CallSettings } from './calls';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { JobWatch } from './jobWatch';
import {
	answerOf,
	earlierJob,
	endOf,
	jobCallSettings,
	runJob,
	submit,
	type JobRequest,
	type Submitted,
} from './runJob';
import type { Session } from '../session';
import type { Slots } from '../slots';

/** What is asked of a document as a job. */
export interface DocumentJob extends Omit<JobRequest, 'timeoutSeconds'> {
	/** Of the job that an earlier run has submitted for it. */
	jobId?: string;
}

/** The jobs of an execution: how many requests are made at a time, and one watch for all that run. */
export class RunningJobs {
	#watch: JobWatch | undefined;

	/** How many jobs have been looked up. */
	#lookups = 0;

	#listed: Promise<Map<string, Job>> | undefined;

	/** @param slots for the requests that may hold a connection at a time */
	constructor(private readonly slots: Slots) {}

	/** The way from a checked file to an answer by a job. */
	async ask(session: Session, job: DocumentJob, settings: CallSettings): Promise<Answer> {
		assertMayChooseTemplate(session, job);
		const { timeoutSeconds } = settings;
		const { jobId, subject } = job;
		if (jobId !== undefined) {
			const earlier = await this.slots.use(
				async () => await earlierJob(session, jobId, subject, jobCallSettings(settings)),
			);
			if (earlier !== undefined) return await this.collect(session, earlier, subject, settings);
		}
		return await runJob(
			session,
			this.#watchOf(session, settings),
			{ ...job, timeoutSeconds },
			jobCallSettings(settings),
			async (upload) => await this.slots.use(upload),
		);
	}

	/** Stores the file and submits the job, without waiting for it. */
	async submit(session: Session, job: DocumentJob, settings: CallSettings): Promise<Submitted> {
		assertMayChooseTemplate(session, job);
		return await this.slots.use(async () => await submit(session, job, jobCallSettings(settings)));
	}

	/**
	 * The state of a job. The first is asked for by its number, and with it one look at the list is for all others: by
	 * their numbers are asked only those that the list does not show as ended.
	 */
	async find(session: Session, jobId: string, settings: CallSettings): Promise<Job> {
		this.#lookups += 1;
		const own = async () => await getJob(session, jobId, settings);
		if (this.#lookups === 1) return await this.slots.use(own);
		this.#listed ??= this.slots
			.use(async () => await listJobs(session, settings))
			.then(
				({ jobs }) => jobs,
				// A rejected key is rejected again, with the number of the job.
				() => new Map<string, Job>(),
			);
		const listed = (await this.#listed).get(jobKey(jobId));
		return listed !== undefined && isComplete(listed) ? listed : await this.slots.use(own);
	}

	/**
	 * The answer of a job that another execution may have submitted, once it has ended.
	 *
	 * @param subject what it is about, where that is known
	 */
	async collect(
		session: Session,
		job: Job,
		subject: string | undefined,
		settings: CallSettings,
	): Promise<Answer> {
		const { timeoutSeconds } = settings;
		const ended = await endOf(session, this.#watchOf(session, settings), job, {
			subject,
			timeoutSeconds,
			isOurs: false,
		});
		return await this.slots.use(
			async () => await answerOf(session, ended, subject, jobCallSettings(settings)),
		);
	}

	#watchOf(session: Session, settings: CallSettings): JobWatch {
		return (this.#watch ??= new JobWatch(session, jobCallSettings(settings)));
	}
}

/** Whether nothing more is to be learned of it. */
function isComplete(job: Job): boolean {
	return hasEnded(job) && !lacksResult(job);
}

function assertMayChooseTemplate({ account }: Session, { templateId, subject }: DocumentJob): void {
	if (!account.isSandbox || templateId === undefined) return;
	throw new DocumentError(
		`A sandbox key cannot choose a template, so ${subject} was not sent`,
		'Clear Template, or use a live key (xtkt_live_).',
	);
}
