import { Expiring } from './expiring';

/** The credits of a request, or of a job. */
export interface Payment {
	credits: number;
	jobId?: string;
}

/** How often n8n has made the runs that it repeats, and what they have paid: by series, which is a run with its repetitions. */
export class Attempts {
	readonly #all: Expiring<{ count: number; payments: Payment[] }>;

	constructor(
		private readonly now: () => number,
		wake: (ms: number, call: () => void) => void,
	) {
		this.#all = new Expiring(now, wake);
	}

	/** @returns how many there are with this one */
	begin(series: string): number {
		const { count, payments } = this.#of(series);
		this.#all.set(series, { count: count + 1, payments }, this.now());
		return count + 1;
	}

	/** @returns the payments of all attempts */
	pay(series: string, payments: Payment[]): Payment[] {
		const { count, payments: earlier } = this.#of(series);
		const all = [...earlier, ...payments];
		this.#all.set(series, { count, payments: all }, this.now());
		return all;
	}

	end(series: string): void {
		this.#all.delete(series);
	}

	#of(series: string) {
		return this.#all.get(series) ?? { count: 0, payments: [] };
	}
}
