import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { endOfCutting } from '../../../pdf/cutting';

export interface Effort {
	/** How reading the file and cutting its first page ended. */
	end: string;
	/** Processor time in milliseconds, and the longest in which nothing else ran. */
	total: number;
	longest: number;
}

const spent = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
};

/** Opens a file and cuts its first page. */
export async function effortOf(file: Buffer): Promise<Effort> {
	// The library is loaded once for all.
	await openBundle(Buffer.from('%PDF-'));
	const start = spent();
	let [last, longest] = [start, 0];
	const note = () => {
		const now = spent();
		longest = Math.max(longest, now - last);
		last = now;
	};
	const timer = setInterval(note, 1);
	const end = await endOfCutting(await openBundle(file), [1]);
	note();
	clearInterval(timer);
	return { end, total: spent() - start, longest };
}

/** The effort of two attempts, as what else the machine does is measured with each. */
export async function leastEffortOf(file: Buffer): Promise<Effort> {
	const [first, second] = [await effortOf(file), await effortOf(file)];
	return {
		end: first.end,
		total: Math.min(first.total, second.total),
		longest: Math.min(first.longest, second.longest),
	};
}
