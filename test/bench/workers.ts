import { permitted, simulateAll } from '../nodes/DocumentIntelligence/service/rateLimitSimulation';

const PROCESSES = [1, 2, 5, 10, 20, 40];

/** So many minutes of the rate limit that the first window, in which nothing is known of the others, hardly counts. */
const DOCUMENTS = 2000;

/** n8n processes that do not know of each other, with one key, in simulated minutes: the node's own limiter and retries. */
export async function workers(): Promise<object[]> {
	const settings = PROCESSES.map((count) => ({
		processes: Array.from({ length: count }, (_, number) => ({
			executions: [{ documents: DOCUMENTS / count, afterSeconds: number / 10 }],
		})),
		phaseSeconds: 20,
	}));
	const runs = await simulateAll(settings);
	return runs.map(({ settings: { processes, ...rest }, arrived, seconds, rejected, windows }) => {
		const requests = windows.reduce((sum, window) => sum + window.requests, 0);
		const least = permitted(DOCUMENTS, { processes, ...rest });
		return {
			processes: processes.length,
			completed: `${arrived} of ${DOCUMENTS}`,
			refused: `${((100 * rejected) / requests).toFixed(0)} %`,
			minutes: (seconds / 60).toFixed(1),
			'limit permits': (least / 60).toFixed(1),
			ratio: (seconds / least).toFixed(2),
		};
	});
}
