import { freeName } from '../../../../nodes/DocumentIntelligence/results/freeName';

test.each([
	['a', [], 'a'],
	['a', ['b'], 'a'],
	['a', ['a'], 'a_'],
	['a', ['a', 'a_', 'a__'], 'a___'],
])('%s beside %j is %s', (name, taken, expected) => {
	expect(freeName(name, (other) => taken.includes(other))).toBe(expected);
});
