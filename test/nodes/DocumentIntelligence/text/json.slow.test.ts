import { parseJson } from '../../../../nodes/DocumentIntelligence/text/json';

test.each([
	['zeros', `[0.${'0'.repeat(1_000_000)}1,1${'0'.repeat(1_000_000)}1]`],
	['backslashes', `["${'\\\\'.repeat(4_000_000)}",99999999999999.99]`],
	['quotes', `[${'"a",'.repeat(1_000_000)}99999999999999.99]`],
	['numbers', `[${'1,'.repeat(2_000_000)}99999999999999.99]`],
	['long numbers', `[${'0.12345678901234567,'.repeat(100_000)}1e400]`],
	['digits in a text', `["${'12345678901234567890e'.repeat(300_000)}",1e400]`],
])('megabytes of %s take seconds at most', (_, json) => {
	const startedAt = Date.now();
	parseJson(json);
	expect(Date.now() - startedAt).toBeLessThan(20_000);
});
