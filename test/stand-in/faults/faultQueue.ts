import type { Fault } from './faults';
import type { Settings } from '../settings';

/** Decides which request meets which fault: by turn, by file name, or by chance. */
export class FaultQueue {
	private turns: Array<Fault | null> = [];
	private byFileName: Array<{ fault: Fault; match: string; timesLeft: number }> = [];

	add(faults: Array<Fault | null>) {
		for (const fault of faults) {
			if (fault?.match === undefined)
				this.turns.push(...Array<Fault | null>(fault?.times ?? 1).fill(fault));
			else this.byFileName.push({ fault, match: fault.match, timesLeft: fault.times ?? 1 });
		}
	}

	/** A request that arrives while turns are waiting takes the first; only without any does chance decide. */
	onArrival({ faultRate, faultKinds }: Settings, random: () => number): Fault | null {
		const turn = this.turns.shift();
		if (turn !== undefined) return turn;
		if (random() >= faultRate) return null;
		const kind = faultKinds[Math.floor(random() * faultKinds.length)];
		return kind === undefined ? null : ({ kind } as Fault);
	}

	afterUpload(fileNames: string[]): Fault | null {
		const waiting = this.byFileName.find(
			({ match, timesLeft }) => timesLeft > 0 && fileNames.some((name) => name.includes(match)),
		);
		if (!waiting) return null;
		waiting.timesLeft -= 1;
		return waiting.fault;
	}

	clear() {
		this.turns = [];
		this.byFileName = [];
	}
}
