import type { Step } from '../http/route';
import type { Settings } from '../settings';
import type { Fault, FaultKind } from './faults';

/** Decides which request meets which fault: by turn, by file name, or by chance. */
export class FaultQueue {
	private turns: Array<Fault | null> = [];
	private readonly turnsOfStep = new Map<Step, Array<Fault | null>>();
	private byFileName: Array<{ fault: Fault; match: string; step?: Step; timesLeft: number }> = [];

	/** Faults of a step reach only its requests, and these take them before any others. */
	add(faults: Array<Fault | null>, step?: Step) {
		for (const fault of faults) {
			if (fault?.match === undefined)
				this.turnsFor(step).push(...Array<Fault | null>(turnsOf(fault)).fill(fault));
			else
				this.byFileName.push({
					fault,
					match: fault.match,
					step,
					timesLeft: fault.times === 'always' ? Infinity : (fault.times ?? 1),
				});
		}
	}

	/** A request that arrives while turns are waiting takes the first; only without any does chance decide. */
	onArrival(step: Step, settings: Settings, random: () => number): Fault | null {
		const waiting = [this.turnsFor(step), this.turns].find(({ length }) => length > 0);
		if (waiting) return (waiting[0]?.times === 'always' ? waiting[0] : waiting.shift()) ?? null;
		if (!settings.faultSteps.includes(step) || random() >= settings.faultRate) return null;
		const kind: FaultKind | undefined =
			settings.faultKinds[Math.floor(random() * settings.faultKinds.length)];
		if (kind === undefined) return null;
		const afterWork = settings.faultAfterWork > 0 && random() < settings.faultAfterWork;
		return { kind, afterWork };
	}

	byName(step: Step, fileNames: string[]): Fault | null {
		const waiting = this.byFileName.find(
			(fault) =>
				fault.timesLeft > 0 &&
				// A list is about many files, so it has to be meant.
				(fault.step ?? (step === 'list' ? undefined : step)) === step &&
				fileNames.some((name) => name.includes(fault.match)),
		);
		if (!waiting) return null;
		waiting.timesLeft -= 1;
		return waiting.fault;
	}

	/** With a step only the faults that were added for it. */
	clear(step?: Step) {
		if (step !== undefined) {
			this.turnsOfStep.delete(step);
			this.byFileName = this.byFileName.filter((fault) => fault.step !== step);
			return;
		}
		this.turns = [];
		this.turnsOfStep.clear();
		this.byFileName = [];
	}

	private turnsFor(step: Step | undefined): Array<Fault | null> {
		if (step === undefined) return this.turns;
		const turns = this.turnsOfStep.get(step) ?? [];
		this.turnsOfStep.set(step, turns);
		return turns;
	}
}

/** A fault that always happens waits once, and is never taken. */
function turnsOf(fault: Fault | null): number {
	return fault?.times === undefined || fault.times === 'always' ? 1 : fault.times;
}
