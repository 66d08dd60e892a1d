import {
	breaking,
	grid,
	permitted,
	simulate,
	simulateAll,
	type SimulatedRun,
} from './rateLimitSimulation';

describe('The rate limit in simulated minutes', () => {
	const isSoon =
		(documents: number, times = 1.05) =>
		({ seconds, settings }: SimulatedRun) =>
			seconds <= times * permitted(documents, settings);

	const alone = [{ executions: [{ documents: 120 }] }];

	test.each([
		['at the limit', { phases: [0, 20, 52] }, isSoon(120)],
		// The first window ends at once, so that there is one more.
		['from the end of a minute on', { phases: [57, 59, 59.5, 59.9] }, isSoon(170)],
		// A minute after each start.
		['without a Date header', { phases: [0, 52, 59.9], date: 'none' as const }, isSoon(170)],
	])('120 documents %s: none is rejected, in the time it takes', async (_, scenario, isInTime) => {
		const runs = await simulateAll(grid(alone, scenario));
		const isKept = ({ arrived, rejected }: SimulatedRun) => arrived === 120 && rejected === 0;
		expect(breaking(runs, isKept)).toEqual([]);
		expect(breaking(runs, isInTime)).toEqual([]);
	});

	test('two processes with a key: at most 5 % rejected after the first window, in the time it takes', async () => {
		const processes = [
			{ executions: [{ documents: 150 }] },
			{ executions: [{ documents: 150, afterSeconds: 0.7 }] },
		];
		const runs = await simulateAll(grid(processes, { phases: [0, 30] }));
		expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
		expect(breaking(runs, ({ laterShare }) => laterShare <= 0.05)).toEqual([]);
		expect(breaking(runs, isSoon(300, 1.1))).toEqual([]);
	});

	test('a Date header that is as old as the work is long: a few are rejected in one window, in the time it takes', async () => {
		const phases = [0, 20, 52, 57, 59.9];
		const runs = await simulateAll(grid(alone, { phases, date: 'before the work' }));
		const isKept = ({ arrived, rejected, windows }: SimulatedRun) =>
			arrived === 120 && windows.some((window) => window.rejected === rejected && rejected <= 5);
		expect(breaking(runs, isKept)).toEqual([]);
		expect(breaking(runs, isSoon(170))).toEqual([]);
	});

	test('a process that finds most of a window free has few requests rejected while it takes it over', async () => {
		const several = (documents: number, afterSeconds: number) =>
			[1, 2, 3].map(() => ({ documents, afterSeconds }));
		const processes = [{ executions: several(20, 0) }, { executions: several(60, 5) }];
		const runs = await simulateAll(grid(processes, { phases: [0, 30] }));
		expect(breaking(runs, ({ arrived }) => arrived === 240)).toEqual([]);
		expect(breaking(runs, ({ laterShare }) => laterShare <= 0.03)).toEqual([]);
	});

	test('a process that is left alone soon has the whole window', async () => {
		const { windows, arrived } = await simulate({
			processes: [{ executions: [{ documents: 400 }] }, { executions: [{ documents: 60 }] }],
			phaseSeconds: 10,
		});
		expect(arrived).toBe(460);
		// No window between the first and the last is left unused, so the first process took what the other gave up.
		const granted = windows.slice(0, -1).map(({ requests, rejected }) => requests - rejected);
		expect(granted).toEqual(granted.map(() => 50));
	});
});
