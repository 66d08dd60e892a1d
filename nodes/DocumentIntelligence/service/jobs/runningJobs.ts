import { LIVE_KEY_PREFIX } from '../../text/cogneris';
import { DocumentError } from '../../text/errors';
import { pauseFor, type Slots } from '../../waiting/waiting';
import type { Answer } from '../envelope';
import { withLateResult, type Session } from '../exchange';
import {
	getJob,
	listJobs,
	requestCancellation,
	storeFile,
	submitJob,
	type CallSettings,
	type DocumentJob,
	type JobPage,
} from '../api';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { answerOf, notFetched, ResultNotFound } from './jobResult';
import { JobWatch, LISTED_JOBS, type Wait } from './jobWatch';
import { Pauses } from './pauses';

/** The form that stores a file, or the reference of a stored one. */
type JobFile = InstanceType<typeof FormData> | { reference: string };

export interface SubmittedJob {
	job: Job;
	/** How long Cogneris asks to wait before the first status check. */
	retryAfterMs: number | undefined;
	/** Of the stored file. */
	reference: string;
}

/** Store, submit, wait and fetch may each be repeated without being billed twice, so a lost response loses nothing. */
export class RunningJobs {
	readonly #watch: JobWatch;
	#hasAsked = false;
	#listed: Promise<JobPage | undefined> | undefined;

	/**
	 * @param collecting for jobs that are submitted, which go on if no more documents are accepted; as a copy, it has turns
	 * of its own in the queue of the rate limit
	 */
	constructor(
		private readonly session: Session,
		private readonly slots: Slots,
		private readonly collecting: Session = session,
	) {
		this.#watch = new JobWatch(collecting);
	}

	async process(settings: CallSettings, document: DocumentJob, file: JobFile): Promise<Answer> {
		const submission = this.submit(settings, document, file);
		const { job, retryAfterMs } = await submission.catch(
			withLateResult(({ job }: SubmittedJob) => {
				void requestCancellation(this.session, job.jobId);
				return { job };
			}),
		);
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
		return await this.slots.use(async () => {
			// Without its job, a stored file is of no use.
			const { reference } =
				file instanceof FormData
					? await storeFile(session, file, subject, settings).catch(withLateResult(() => undefined))
					: file;
			const complete = (submitted: Omit<SubmittedJob, 'reference'>) => ({
				...submitted,
				reference,
			});
			const submission = submitJob(session, document, reference, settings);
			return complete(await submission.catch(withLateResult(complete)));
		});
	}

	/** Most runs find one job, for which a list takes no fewer requests. For the others, one list shows which have ended. */
	async find(settings: CallSettings, jobId: string): Promise<{ job: Job; retryAfterMs?: number }> {
		const { collecting: session, slots } = this;
		if (this.#hasAsked) {
			this.#listed ??= slots
				.use(async () => await listJobs(session, { ...settings, retries: 0 }, LISTED_JOBS))
				// A rejected key is rejected again below, with the job's ID.
				.catch(() => undefined);
			const job = (await this.#listed)?.jobs.get(jobKey(jobId));
			if (job !== undefined && hasEnded(job) && !lacksResult(job)) return { job };
		}
		this.#hasAsked = true;
		return await slots.use(async () => await getJob(session, jobId, settings));
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
