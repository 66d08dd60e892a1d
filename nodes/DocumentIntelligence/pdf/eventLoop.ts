import { sleep } from 'n8n-workflow';

/** How long cutting may keep n8n from everything else, in milliseconds. */
const LONGEST_SLICE_MS = 20;

let sliceStart = 0;

/**
 * Lets n8n do what is waiting, if it has waited for a slice. Timers are not at hand in a verified package; the sleep of
 * n8n is one.
 */
export async function letOthersRun(): Promise<void> {
	if (Date.now() - sliceStart < LONGEST_SLICE_MS) return;
	await sleep(0);
	sliceStart = Date.now();
}

/** Stands in for `setTimeout` in the bundled library, which waits only for the next turn of the event loop. */
export function inNextTurn(callback: () => void): void {
	void letOthersRun().then(callback);
}
