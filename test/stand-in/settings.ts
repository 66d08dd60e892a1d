import type { FaultKind } from './faults/faults';
import { steps, type Step } from './http/route';

/** Everything a test, the demo or a benchmark may change about the stand-in while it runs. */
export interface Settings {
	/** Requests one API key may make in one window; the routes share the count. */
	requestsPerWindow: number;
	/** Windows begin at multiples of this since the epoch, as a wall-clock minute does. */
	windowMs: number;
	/** Whether a rate-limit refusal says in seconds when the window resets. */
	retryAfter: boolean;
	/** How far the service's clock is ahead of the machine's; moves the window and the Date header. */
	clockSkewMs: number;
	/** Wait between upload and answer; a pair draws from the range. */
	latencyMs: Duration;
	/** What happens to an upload that is answered before it was read. `close` ends the connection under it. */
	earlyAnswer: 'drain' | 'close';
	/** Share of API requests, 0 to 1, that meet a fault drawn from `faultKinds`. */
	faultRate: number;
	faultKinds: FaultKind[];
	/** The steps at which a request can meet such a fault. */
	faultSteps: Step[];
	/** Share of these faults, 0 to 1, that hide the response to a request that was served and billed. */
	faultAfterWork: number;
	/** Start of the random numbers behind `faultRate` and a ranged `latencyMs`. */
	seed: number;
	/** How long the address of a cropped image stays good. */
	imageLifetimeMs: number;
	/** How much of each request body the record keeps as it came over the wire. */
	rawBodyPrefixBytes: number;
	/** How long a job is queued, and then runs, by the service's clock; a pair draws from the range. */
	jobQueueMs: Duration;
	jobRunMs: Duration;
	/** Jobs that end otherwise, by the name of their file; the first rule that matches decides. */
	jobRules: JobRule[];
	/** How keys of a stored result are written, except `Metadata` and what is in it. */
	jobResultCase: 'pascal' | 'camel';
	/** What the parameter `cursor` of the job list does; the contract leaves it open. A rejected one is a 400. */
	jobsCursor: 'ignored' | 'honoured' | 'rejected';
	/** In which order lists show jobs; the contract promises none. `shuffled` is neither order, and stays the same. */
	jobsOrder: 'newest' | 'oldest' | 'shuffled';
	/** Whether the parameter `limit` of the job list is followed; an ignored one counts as 100. */
	jobsLimit: 'granted' | 'ignored';
	/** The most jobs that one list shows, however many are asked for. Its `limit` says how many were granted. */
	maxListLimit: number;
	/** How a reference is refused that is unknown or another account's: the contract has both, and they mean the same. */
	unreadableReference: 400 | 404;
	/** Whether fraud screening is on: an extraction then names the screening that ran, and nothing else differs. */
	fraudScreening: boolean;
	/** Whether a comparison of faces has links to the faces, and whether the selfie is among its documents. */
	faceCrops: boolean;
	/** How many templates the account has; null for those that the stand-in can tell apart by itself. */
	templateCount: number | null;
}

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

export const defaultSettings: Settings = {
	requestsPerWindow: 50,
	windowMs: 60_000,
	retryAfter: true,
	clockSkewMs: 0,
	latencyMs: 0,
	earlyAnswer: 'drain',
	faultRate: 0,
	faultKinds: ['html502', 'retryable503', 'reset'],
	faultSteps: [...steps],
	faultAfterWork: 0,
	seed: 1,
	imageLifetimeMs: 60_000,
	rawBodyPrefixBytes: 0,
	jobQueueMs: 0,
	jobRunMs: 0,
	jobRules: [],
	jobResultCase: 'pascal',
	jobsCursor: 'ignored',
	jobsOrder: 'newest',
	jobsLimit: 'granted',
	maxListLimit: 100,
	unreadableReference: 404,
	fraudScreening: false,
	faceCrops: false,
	templateCount: null,
};
