import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { keys } from './access/keys';
import type { Commands } from './routes/control';
import type { Settings } from './settings';

export { faultKinds, type Fault, type FaultKind } from './faults/faults';
export type { Step } from './http/route';
export type { Ending, OtherJob } from './processing/otherJobs';
export type { Charge } from './state/charges';
export type { JobDescription } from './state/jobs';
export type { ListChange } from './state/jobViews';
export type { RecordedPart, RecordedRequest } from './state/records';
export type { JobRule, Settings } from './settings';
export { keys } from './access/keys';

export type StandIn = ReturnType<typeof standInAt> & { stop(): Promise<void> };

/** Starts the service as a process of its own, so that its memory and its time are not counted as the client's. */
export async function startStandIn(settings: Partial<Settings> = {}): Promise<StandIn> {
	const { child, url, pid } = await startProcess(settings);
	const exited = once(child, 'exit');
	return {
		...standInAt(url, pid),
		async stop() {
			child.stdin.end();
			await exited;
		},
	};
}

/** What a worker of jest keeps from one suite to the next (test/jestEnvironment/environment.js). */
const kept = globalThis as unknown as { standIn: { started?: Promise<StandInProcess> } };

/**
 * The one stand-in of a worker of jest, whose suites run one after the other: a process for each suite would take a third of
 * their time to start. It ends with the worker.
 */
export async function sharedStandIn(settings: Partial<Settings>): Promise<StandIn> {
	kept.standIn.started ??= startProcess({}).then((started) => {
		// None of these may keep the worker from ending.
		for (const handle of [started.child, started.child.stdin, started.child.stdout])
			(handle as { unref?: () => void }).unref?.();
		return started;
	});
	const { url, pid } = await kept.standIn.started;
	const standIn = standInAt(url, pid);
	return {
		...standIn,
		async reset() {
			await standIn.reset();
			await standIn.configure(settings);
		},
		stop: standIn.reset,
	};
}

interface StandInProcess {
	child: ChildProcessByStdio<Writable, Readable, null>;
	url: string;
	pid: number;
}

async function startProcess(settings: Partial<Settings>): Promise<StandInProcess> {
	const child = spawn(
		process.execPath,
		[
			'--require',
			require.resolve('tsx/cjs'),
			join(__dirname, 'main.ts'),
			'--until-stdin-closes',
			'--settings',
			JSON.stringify(settings),
		],
		// Limits set for the client's process, such as its memory, are not meant for the service.
		{ stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
	);
	const announced = await Promise.race([
		announcement(child.stdout),
		once(child, 'exit').then(([code]) => {
			throw new Error(
				`The stand-in service ended with code ${String(code)} before it was listening.`,
			);
		}),
	]);
	return { child, ...announced };
}

/** What a process that has started can be asked. */
function standInAt(url: string, pid: number) {
	const ask =
		<Name extends keyof Commands>(name: Name) =>
		async (...given: Given<Name>): Promise<Awaited<ReturnType<Commands[Name]>>> => {
			const body = JSON.stringify(given);
			const response = await fetch(`${url}/_stand-in/${name}`, { method: 'POST', body });
			const text = await response.text();
			if (response.ok) return (JSON.parse(text) as { result: never }).result;
			throw new Error(`The stand-in service answered ${response.status} to ${name}: ${text}`);
		};
	return {
		url,
		pid,
		keys,
		requests: ask('requests'),
		/** How many requests arrived and were refused, and most of them under way at the same moment. */
		figures: ask('figures'),
		/** What was billed, in the order in which it was. */
		charges: ask('charges'),
		/** Answers of the stand-in that break the contract, of which a test may leave none. */
		violations: ask('violations'),
		/** How often the result of a job was asked for, by the ID of the job; only jobs whose result was. */
		resultFetches: ask('resultFetches'),
		/** Records, charges, faults, rate windows, stored files, jobs, clock and settings as they were at the start. */
		reset: ask('reset'),
		configure: ask('configure'),
		/** Moves the service's clock on, and with it jobs, expiry and rate windows. */
		advanceClock: ask('advanceClock'),
		/** Sends the answers that are held back, by the setting `latencyMs` or as `late`. */
		answerNow: ask('answerNow'),
		/**
		 * Without `match` a fault waits for its turn, one per API request in order of arrival; null lets one request through.
		 * With a step only requests of that step count.
		 */
		queueFaults: ask('queueFaults'),
		/** Removes the faults that were queued for a step, or all. */
		clearFaults: ask('clearFaults'),
		/** Jobs of an API key that another program submitted; gives their IDs. */
		addJobs: ask('addJobs'),
		/** Ends jobs of an API key that have not ended, all at the same time. */
		endJobs: ask('endJobs'),
		/** Has the lists of an API key show jobs that have ended otherwise than they are; changes are added to earlier ones. */
		changeLists: ask('changeLists'),
	};
}

type Given<Name extends keyof Commands> =
	Parameters<Commands[Name]> extends [unknown, ...infer Rest] ? Rest : never;

async function announcement(stdout: NodeJS.ReadableStream): Promise<{ url: string; pid: number }> {
	for await (const line of createInterface({ input: stdout })) {
		if (line.startsWith('{"url"')) return JSON.parse(line) as { url: string; pid: number };
	}
	// The output ends only with the process, whose exit is reported by the caller.
	return await new Promise(() => undefined);
}
