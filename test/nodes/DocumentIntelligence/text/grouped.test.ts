import { grouped } from '../../../../nodes/DocumentIntelligence/text/grouped';

test('an entry without a key is in no group, also beside an empty key', () => {
	const keyOf = (entry: string) => (entry === 'none' ? undefined : entry.slice(1));
	expect([...grouped(['a', 'none', 'b', 'cx'], keyOf)]).toEqual([
		['', ['a', 'b']],
		['x', ['cx']],
	]);
});
