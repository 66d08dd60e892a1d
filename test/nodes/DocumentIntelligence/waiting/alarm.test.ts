import { Alarm } from '../../../../nodes/DocumentIntelligence/waiting/alarm';
import { SimulatedTime } from '../../clock';
import { collectGarbage } from '../../collectGarbage';

function alarmIn(time: SimulatedTime, knowsSignals: boolean) {
	const rung: number[] = [];
	const ended: number[] = [];
	const clock = time.clock();
	const sleep = async (ms: number, signal?: AbortSignal) =>
		await new Promise<void>((resolve, reject) => {
			void clock.sleep(ms).then(resolve);
			const end = () => {
				ended.push(ms);
				reject(new Error('aborted'));
			};
			if (knowsSignals) signal?.addEventListener('abort', end);
		});
	const alarm = new Alarm({ ...clock, sleep }, () => rung.push(time.now));
	return { alarm, rung, ended };
}

test('turned off, a wait that goes on holds nothing of what it would have rung for', async () => {
	let end: () => void = () => undefined;
	const sleep = async () => await new Promise<void>((resolve) => (end = resolve));
	const clock = { now: () => 0, sleep };
	const alarmOf = (run: object) => new Alarm(clock, () => void run);
	const run = new WeakRef({});
	const turnOff = () => {
		const alarm = alarmOf(run.deref()!);
		alarm.setTo(1000);
		alarm.turnOff();
	};
	turnOff();
	await new Promise((resolve) => setTimeout(resolve, 50));
	collectGarbage();
	expect(run.deref()).toBeUndefined();
	end();
});

describe.each([
	['n8n whose sleep can be ended', true],
	['n8n whose sleep cannot', false],
])('In an %s', (_, knowsSignals) => {
	test('it rings once, at the earliest time it was set to', async () => {
		const time = new SimulatedTime(0);
		const { alarm, rung, ended } = alarmIn(time, knowsSignals);
		alarm.setTo(5000);
		alarm.setTo(3000);
		alarm.setTo(4000);
		await time.run(time.sleep(10_000));
		expect(rung).toEqual([3000]);
		expect(ended).toEqual(knowsSignals ? [5000] : []);
		alarm.setTo(12_000);
		await time.run(time.sleep(10_000));
		expect(rung).toEqual([3000, 12_000]);
	});

	test('turned off, it does not ring, and leaves no wait behind where it can be ended', async () => {
		const time = new SimulatedTime(0);
		const { alarm, rung, ended } = alarmIn(time, knowsSignals);
		alarm.setTo(5000);
		alarm.turnOff();
		await time.run(time.sleep(10_000));
		expect(rung).toEqual([]);
		expect(ended).toEqual(knowsSignals ? [5000] : []);
	});
});
