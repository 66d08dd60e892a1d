import { Slots } from '../../../../nodes/DocumentIntelligence/waiting/waiting';

test('two at a time, results in the order of the entries, and a failure frees its slot', async () => {
	const slots = new Slots(2);
	let atOnce = 0;
	let mostAtOnce = 0;
	const work = async (entry: number) => {
		mostAtOnce = Math.max(mostAtOnce, ++atOnce);
		for (let turns = 0; turns < 10 - entry; turns++) await Promise.resolve();
		atOnce -= 1;
		if (entry === 1) throw new Error('failed');
		return entry;
	};
	await expect(slots.map([1, 2, 3], work)).rejects.toThrow('failed');
	expect(await slots.map([2, 3, 4, 5, 6], work)).toEqual([2, 3, 4, 5, 6]);
	expect(mostAtOnce).toBe(2);
});
