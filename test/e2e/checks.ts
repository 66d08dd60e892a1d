import { stripVTControlCharacters } from 'node:util';

/** What one check saw, or why it did not hold. */
interface Result {
	part: string;
	name: string;
	outcome: 'passed' | 'failed' | 'skipped';
	saw: string;
	seconds: number;
}

/** What a check needs is not on this machine. Counts as failed where everything has to be there. */
export class Missing extends Error {}

/** What a check needs cannot be expected anywhere, such as documents that are not part of this repository. */
export class Unavailable extends Error {}

const results: Result[] = [];
let currentPart = '';

/** Under continuous integration a part that did not run is one that nobody looked at. */
const nothingMayBeMissing =
	process.env.CI !== undefined && process.env.CI !== '' && process.env.CI !== 'false';

/** Runs a part with all its checks. Whatever ends it early is a failure of its own, and the next part goes on. */
export async function part(name: string, work: () => Promise<void>): Promise<void> {
	currentPart = name;
	console.log(`\n${name}`);
	const startedAt = Date.now();
	await work().catch((error: unknown) => record('the whole part', error, startedAt));
	console.log(`  (${name}: ${Math.round((Date.now() - startedAt) / 1000)} s)`);
}

/** @param work says in a few words what it saw, and throws what it did not expect */
export async function check(name: string, work: () => Promise<string>): Promise<void> {
	const startedAt = Date.now();
	try {
		add(name, 'passed', await work(), startedAt);
	} catch (error) {
		record(name, error, startedAt);
	}
}

export function expect(holds: boolean, otherwise: string): asserts holds {
	if (!holds) throw new Error(otherwise);
}

/** By their JSON, so that what is undefined and what is not there are the same. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
	const [seen, wanted] = [actual, expected].map((value) => JSON.stringify(value) ?? 'undefined');
	if (seen === wanted) return;
	const [short, shortWanted] = aroundDifference(seen ?? '', wanted ?? '');
	throw new Error(`${what}: ${short} instead of ${shortWanted}`);
}

/** Prints everything again, failures last, and returns whether all is well. */
export function summary(): boolean {
	const count = (outcome: Result['outcome']) =>
		results.filter((result) => result.outcome === outcome).length;
	console.log('\nSummary');
	for (const outcome of ['passed', 'skipped', 'failed'] as const) {
		for (const result of results.filter((one) => one.outcome === outcome))
			console.log(line(result, `${result.part}: `));
	}
	console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
	return count('failed') === 0 && count('passed') > 0;
}

function record(name: string, error: unknown, startedAt: number): void {
	const missing = error instanceof Missing && !nothingMayBeMissing;
	const saw = error instanceof Error ? error.message : String(error);
	add(name, missing || error instanceof Unavailable ? 'skipped' : 'failed', saw, startedAt);
	// Where it happened is of use only for what nobody expected.
	if (!(error instanceof Missing || error instanceof Unavailable) && error instanceof Error) {
		console.log(
			error.stack
				?.split('\n')
				.filter((entry) => /^\s+at .*e2e/.test(entry))
				.slice(0, 3)
				.join('\n') ?? '',
		);
	}
}

function add(name: string, outcome: Result['outcome'], saw: string, startedAt: number): void {
	// A line each; some messages come in several, coloured for a terminal.
	const plain = stripVTControlCharacters(saw).replace(/\s+/g, ' ').trim();
	const result = {
		part: currentPart,
		name,
		outcome,
		saw: plain,
		seconds: (Date.now() - startedAt) / 1000,
	};
	results.push(result);
	console.log(line(result));
}

function line({ outcome, name, saw, seconds }: Result, prefix = ''): string {
	const mark = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[outcome];
	return `  ${mark} ${prefix}${name}: ${saw} [${seconds.toFixed(1)} s]`;
}

const SHOWN = 160;

/** Of two long texts, the stretch in which they begin to differ. */
function aroundDifference(one: string, other: string): [string, string] {
	if (one.length <= SHOWN && other.length <= SHOWN) return [one, other];
	let same = 0;
	while (same < one.length && one[same] === other[same]) same += 1;
	const from = Math.max(0, same - SHOWN / 2);
	return [one, other].map((text) => `…${text.slice(from, from + SHOWN)}…`) as [string, string];
}
