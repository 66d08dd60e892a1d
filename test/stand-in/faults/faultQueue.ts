import type { Step } from '../http/route';
import type { Settings } from '../settings';
import type { Fault, FaultKind } from './faults';

interface Waiting {
	/** Null lets a request through. */
	fault: Fault | null;
	step?: Step;
	timesLeft: number;
}

/** Decides which request meets which fault: by turn, by file name, or by chance. */
export class FaultQueue {
	private waiting: Waiting[] = [];

	/** Faults of a step reach only its requests, and these take them before any others. */
	add(faults: Array<Fault | null>, step?: Step) {
		for (const fault of faults) {
			const times = fault?.times ?? 1;
			this.waiting.push({ fault, step, timesLeft: times === 'always' ? Infinity : times });
		}
	}

	/** A request that arrives while turns are waiting takes the first; only without any does chance decide. */
	onArrival(step: Step, settings: Settings, random: () => number): Fault | null {
		const turns = this.waiting.filter(({ fault }) => fault?.match === undefined);
		const turn =
			turns.find((next) => next.step === step) ?? turns.find((next) => next.step === undefined);
		if (turn) return this.take(turn);
		if (!settings.faultSteps.includes(step) || random() >= settings.faultRate) return null;
		const kind: FaultKind | undefined =
			settings.faultKinds[Math.floor(random() * settings.faultKinds.length)];
		if (kind === undefined) return null;
		const afterWork = settings.faultAfterWork > 0 && random() < settings.faultAfterWork;
		return { kind, afterWork };
	}

	byName(step: Step, fileNames: string[]): Fault | null {
		// A list is about many files, so it has to be meant.
		const unmeant = step === 'list' ? undefined : step;
		const named = this.waiting.find(
			({ fault, step: of = unmeant }) =>
				of === step && fileNames.some((name) => fault?.match && name.includes(fault.match)),
		);
		return named ? this.take(named) : null;
	}

	/** With a step only the faults that were added for it. */
	clear(step?: Step) {
		this.waiting = this.waiting.filter((one) => step !== undefined && one.step !== step);
	}

	private take(one: Waiting): Fault | null {
		one.timesLeft -= 1;
		if (one.timesLeft === 0) this.waiting = this.waiting.filter((other) => other !== one);
		return one.fault;
	}
}
