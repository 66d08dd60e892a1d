import { breaking, grid, simulateAll, type Scenario } from './simulation';

// Slow because of the number of simulated minutes: every phase, clock and latency.
jest.setTimeout(120_000);

const LATENCIES: Array<Scenario['latencySeconds']> = [3, [1, 8], 0.05];
const PHASES = [0, 5, 30, 45, 52, 57, 59, 59.5, 59.9];
const CLOCKS = [0, 400, -400, 30_000, 90_000, -90_000];

describe('One process and 300 documents', () => {
	const alone = [{ executions: [{ documents: 300 }] }];

	test.each(LATENCIES)(
		'latency %j s: none is rejected, within 10 s of what the limit permits',
		async (latencySeconds) => {
			const runs = await simulateAll(
				`1 process, latency ${JSON.stringify(latencySeconds)} s`,
				grid(alone, { phases: PHASES, clocks: CLOCKS, latencySeconds }),
			);
			expect(breaking(runs, ({ arrived, rejected }) => arrived === 300 && rejected === 0)).toEqual(
				[],
			);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 10)).toEqual([]);
		},
	);

	test('50 at a time: a start in the last seconds of a minute may count twice, which costs one window', async () => {
		const runs = await simulateAll(
			'1 process, 50 at a time',
			grid(alone, { phases: PHASES, clocks: [0, 30_000], concurrency: 50 }),
		);
		expect(breaking(runs, ({ arrived, rejected }) => arrived === 300 && rejected === 0)).toEqual(
			[],
		);
		const early = runs.filter(({ settings }) => (settings.phaseSeconds ?? 0) < 59);
		expect(breaking(early, ({ seconds, ideal }) => seconds <= ideal + 10)).toEqual([]);
		expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 61)).toEqual([]);
	});

	test('without a Date header the limit is kept, a minute after each start', async () => {
		const settings = grid(alone, { phases: PHASES, clocks: [0, 30_000], date: false });
		const runs = await simulateAll('1 process, no Date header', settings);
		expect(breaking(runs, ({ arrived, rejected }) => arrived === 300 && rejected === 0)).toEqual(
			[],
		);
		expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 61)).toEqual([]);
	});
});

describe('Two processes that share a key', () => {
	const split = (documents: number[]) =>
		documents.map((count, number) => ({
			executions: [{ documents: count, afterSeconds: number * 0.7 }],
		}));
	// In the last seconds of a minute a process learns nothing from that minute.
	const EARLY = PHASES.filter((phase) => phase < 57);

	test.each(
		[
			[150, 150],
			[250, 50],
		].flatMap((documents) => LATENCIES.map((latency) => ({ documents, latency }))),
	)(
		'$documents documents, latency $latency s: all arrive, in time, with few rejections',
		async ({ documents, latency }) => {
			const runs = await simulateAll(
				`2 processes, ${documents.join(' and ')}, latency ${JSON.stringify(latency)} s`,
				grid(split(documents), { phases: PHASES, latencySeconds: latency }),
			);
			expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
			expect(breaking(runs, ({ laterShare }) => laterShare <= 0.1)).toEqual([]);
			expect(breaking(runs, ({ mostRejections }) => mostRejections <= 5)).toEqual([]);
			const early = runs.filter(({ settings }) => EARLY.includes(settings.phaseSeconds ?? 0));
			expect(breaking(early, ({ seconds, ideal }) => seconds <= 1.1 * ideal)).toEqual([]);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 61)).toEqual([]);
		},
	);

	test.each([
		['50 at a time', { concurrency: 50 }, 0.1, 1.1],
		['Retry-After always 1 s', { wrongRetryAfter: 1 }, 0.33, 1.5],
		['Retry-After always a day', { wrongRetryAfter: 86_400 }, 0.1, 1.5],
		['no Date header', { date: false }, 0.1, 1.5],
	])('%s: all arrive, and not much later', async (name, more, share, ratio) => {
		const settings = grid(split([150, 150]), { phases: EARLY, ...more });
		const runs = await simulateAll(name, settings);
		expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
		expect(breaking(runs, ({ laterShare }) => laterShare <= share)).toEqual([]);
		expect(breaking(runs, ({ seconds, ideal }) => seconds <= ratio * ideal)).toEqual([]);
	});
});
