import { Attempts } from '../../../../../nodes/DocumentIntelligence/run/ledger/attempts';

test('the attempts of a run and what they pay are counted, and forgotten', () => {
	let now = 0;
	const attempts = new Attempts(
		() => now,
		() => undefined,
	);
	const begin = () => attempts.begin('s');
	const [one, other] = [{ credits: 2 }, { credits: 3, jobId: 'j' }];
	expect([begin(), attempts.pay('s', [one])]).toEqual([1, [one]]);
	expect([begin(), attempts.pay('s', [other])]).toEqual([2, [one, other]]);
	attempts.end('s');
	expect([begin(), attempts.pay('s', [])]).toEqual([1, []]);
	now = 24 * 60 * 60 * 1000;
	expect(begin()).toBe(1);
});
