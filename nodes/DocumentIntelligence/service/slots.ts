/** Lets so many pieces of work run at a time; the others wait for their turn, in order. */
export class Slots {
	#free: number;

	readonly #waiting: Array<() => void> = [];

	constructor(count: number) {
		this.#free = count;
	}

	async use<Result>(work: () => Promise<Result>): Promise<Result> {
		if (this.#free > 0) this.#free -= 1;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.#free += 1;
			else next();
		}
	}
}
