import { LIVE_KEY_PREFIX } from '../../text/cogneris';
import { DocumentError } from '../../text/errors';
import { pauseFor, unlessAborted, type Slots } from '../../waiting/waiting';
import type { Answer } from '../envelope';
import type { Session } from '../exchange';
import {
	getJob,
	listJobs,
	storeFile,
	submitJob,
	type CallSettings,
	type DocumentJob,
} from '../api';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { answerOf, notFetched, ResultNotFound } from './jobResult';
import { JobWatch, LISTED_JOBS, type Wait } from './jobWatch';
import { Pauses } from './pauses';

/** The form that stores a file, or the reference of a stored one. */
type JobFile = InstanceType<typeof FormData> | { reference: string };

interface SubmittedJob {
	job: Job;
	/** How long Cogneris asks to wait before the first status check. */
	retryAfterMs: number | undefined;
	/** Of the stored file. */
	reference: string;
}

/** Store, submit, wait and fetch may each be repeated without being billed twice, so a lost response loses nothing. */
export class RunningJobs {
	readonly #watch: JobWatch;
	/** By key, those of the list that was asked for; none if that failed. */
	#listed?: Promise<ReadonlyMap<string, Job>>;

	/**
	 * @param collecting for jobs that are submitted, which go on if no more documents are accepted
	 * @param hasSeveral whether the run may look for several jobs
	 */
	constructor(
		private readonly session: Session,
		private readonly slots: Slots,
		private readonly collecting: Session,
		private readonly hasSeveral: boolean,
	) {
		this.#watch = new JobWatch(collecting);
	}

	async process(settings: CallSettings, document: DocumentJob, file: JobFile): Promise<Answer> {
		const { job, retryAfterMs } = await this.submit(settings, document, file);
		// A repeated submission may return an ended job without its result, so its status is checked.
		const known = hasEnded(job) ? { ...job, status: null } : job;
		const wait = { subject: document.subject, retryAfterMs, isOurs: true };
		return await this.collect(settings, known, wait);
	}

	async submit(
		settings: CallSettings,
		document: DocumentJob,
		file: JobFile,
	): Promise<SubmittedJob> {
		const { session } = this;
		const { templateId, subject } = document;
		if (session.account.isSandbox && templateId !== undefined)
			throw new DocumentError(
				`A sandbox key cannot choose a template, so ${subject} was not sent`,
				`Set 'Template' to Automatic, or use a live key (${LIVE_KEY_PREFIX}).`,
			);
		return await this.#inSlot(async () => {
			const { reference } =
				file instanceof FormData ? await storeFile(session, file, subject, settings) : file;
			return { ...(await submitJob(session, document, reference, settings)), reference };
		});
	}

	/** Holds a slot as long as the work takes, or until a stop: what is left in flight then keeps nothing else waiting. */
	async #inSlot<Result>(work: () => Promise<Result>): Promise<Result> {
		const { canceled } = this.session;
		return await new Promise<Result>((resolve, reject) => {
			void this.slots.use(async () => {
				const result = work();
				result.then(resolve, reject);
				await unlessAborted(result, canceled).catch(() => undefined);
			});
		});
	}

	/** A job by its ID. Of several, one list shows which have ended, so that only the others are asked for one by one. */
	async find(settings: CallSettings, jobId: string): Promise<{ job: Job; retryAfterMs?: number }> {
		const { collecting, slots, hasSeveral } = this;
		if (hasSeveral) {
			this.#listed ??= this.#list(settings);
			const job = (await this.#listed).get(jobKey(jobId));
			if (job !== undefined && hasEnded(job) && !lacksResult(job)) return { job };
		}
		return await slots.use(async () => await getJob(collecting, jobId, settings));
	}

	async #list(settings: CallSettings): Promise<ReadonlyMap<string, Job>> {
		const { collecting, slots } = this;
		const once = { ...settings, retries: 0 };
		return await slots
			.use(async () => await listJobs(collecting, once, LISTED_JOBS))
			.then(({ jobs }) => jobs)
			// A rejected key is rejected again with the ID of a job.
			.catch(() => new Map());
	}

	/** Waits for the job and, if Cogneris does not return it at once, for its result, both until Timeout. */
	async collect(settings: CallSettings, job: Job, wait: Wait): Promise<Answer> {
		const { collecting } = this;
		const { clock, signal } = collecting;
		const { subject } = wait;
		const deadline = clock.now() + settings.timeoutSeconds * 1000;
		const ended = await this.#watch.ended(job, settings.timeoutSeconds, wait);
		const pauses = new Pauses();
		for (;;) {
			const answer = await this.#fetchOnce(settings, ended, subject);
			if (!(answer instanceof ResultNotFound)) return answer;
			if (clock.now() >= deadline) throw answer;
			// Holds no slot.
			await pauseFor(Math.min(pauses.take(), deadline - clock.now()), collecting);
			if (signal.aborted) throw notFetched(collecting, signal.reason, job.jobId, subject);
		}
	}

	/** The answer, or that there is none yet. */
	async #fetchOnce(settings: CallSettings, job: Job, subject: string | undefined) {
		const { collecting, slots } = this;
		return await slots.use(
			async () =>
				await answerOf(collecting, job, subject, settings).catch((thrown: unknown) => {
					if (thrown instanceof ResultNotFound) return thrown;
					throw thrown as Error;
				}),
		);
	}
}
