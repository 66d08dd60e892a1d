import type { FaultKind } from './faults/faults';
import { steps, type Step } from './http/route';

/** In milliseconds. */
export type Duration = number | [number, number];

export interface JobRule {
	/** A part of the name of the job's file. */
	match: string;
	runMs?: Duration;
	/** Makes the job fail, and with `retryable` one that may be submitted anew. */
	failureCode?: string;
	retryable?: boolean;
	/** Stored as the result as it is, in place of what the document says. */
	result?: unknown;
	/** What the job consumed: may be a fraction. */
	credits?: number;
}

/** Everything a test, the demo or a benchmark may change about the stand-in while it runs. */
export const defaultSettings = {
	/** Requests one API key may make in one window; the routes share the count. */
	requestsPerWindow: 50,
	/** Windows begin at multiples of this since the epoch, as a wall-clock minute does. */
	windowMs: 60_000,
	/** Whether a rate-limit refusal says in seconds when the window resets. */
	retryAfter: true,
	/** How far the service's clock is ahead of the machine's; moves the window and the Date header. */
	clockSkewMs: 0,
	/** Wait between upload and answer; a pair draws from the range. */
	latencyMs: 0 as Duration,
	/** What happens to an upload that is answered before it was read. `close` ends the connection under it. */
	earlyAnswer: 'drain' as 'drain' | 'close',
	/** Share of API requests, 0 to 1, that meet a fault drawn from `faultKinds`. */
	faultRate: 0,
	faultKinds: ['html502', 'retryable503', 'reset'] as FaultKind[],
	/** The steps at which a request can meet such a fault. */
	faultSteps: [...steps] as Step[],
	/** Share of these faults, 0 to 1, that hide the response to a request that was served and billed. */
	faultAfterWork: 0,
	/** Start of the random numbers behind `faultRate` and a ranged `latencyMs`. */
	seed: 1,
	/** How long the address of a cropped image stays good. */
	imageLifetimeMs: 60_000,
	/** How long a job is queued, and then runs, by the service's clock; a pair draws from the range. */
	jobQueueMs: 0 as Duration,
	jobRunMs: 0 as Duration,
	/** Jobs that end otherwise, by the name of their file; the first rule that matches decides. */
	jobRules: [] as JobRule[],
	/** How keys of a stored result are written, except `Metadata` and what is in it. */
	jobResultCase: 'pascal' as 'pascal' | 'camel',
	/** What the parameter `cursor` of the job list does; the contract leaves it open. A rejected one is a 400. */
	jobsCursor: 'ignored' as 'ignored' | 'honoured' | 'rejected',
	/** In which order lists show jobs; the contract promises none. `shuffled` is neither order, and stays the same. */
	jobsOrder: 'newest' as 'newest' | 'oldest' | 'shuffled',
	/** Whether the parameter `limit` of the job list is followed; an ignored one counts as 100. */
	jobsLimit: 'granted' as 'granted' | 'ignored',
	/** The most jobs that one list shows, however many are asked for. Its `limit` says how many were granted. */
	maxListLimit: 100,
	/** How a reference is refused that is unknown or another account's: the contract has both, and they mean the same. */
	unreadableReference: 404 as 400 | 404,
	/** Whether fraud screening is on: an extraction then names the screening that ran, and nothing else differs. */
	fraudScreening: false,
	/** Whether a comparison of faces has links to the faces, and whether the selfie is among its documents. */
	faceCrops: false,
	/** How many templates the account has; null for those that the stand-in can tell apart by itself. */
	templateCount: null as number | null,
};

export type Settings = typeof defaultSettings;
