import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const MB = 1024 * 1024;

/** Kernel ticks in a second, as Linux reports them to every program. */
const TICKS = 100;

/** Processor time that a process has used, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The name in brackets may hold spaces; user and system time are the 14th and 15th field of the whole.
	const [userTicks, systemTicks] = stat
		.slice(stat.lastIndexOf(')') + 2)
		.split(' ')
		.slice(11, 13);
	return (Number(userTicks) + Number(systemTicks)) / TICKS;
}

/** Memory that a process holds now, in MB. */
async function memoryMb(pid: number): Promise<number> {
	const resident = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
	return (Number(resident) * 1024) / MB;
}

/** Runs the work and tells by how much the process grew beyond what it held before, in MB, at the most. */
export async function growthDuring<T>(
	pid: number,
	work: () => Promise<T>,
): Promise<{ result: T; growthMb: number }> {
	const before = await memoryMb(pid);
	let most = before;
	const watching = new AbortController();
	const watch = (async () => {
		while (!watching.signal.aborted) {
			most = Math.max(most, await memoryMb(pid));
			await wait(20);
		}
	})();
	try {
		const result = await work();
		return { result, growthMb: most - before };
	} finally {
		watching.abort();
		await watch;
	}
}
