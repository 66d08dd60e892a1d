import {
	CONFIDENCE_THRESHOLD,
	PROCESSING,
	TIMEOUT,
} from '../../../../nodes/DocumentIntelligence/parameters/options';
import {
	parseChoice,
	choicesIn,
	parseNames,
	readNumber,
	readSwitch,
	readThresholds,
	type ReadParameter,
} from '../../../../nodes/DocumentIntelligence/parameters/read';

/** As n8n reads an option: undefined for one that is not set. */
const readerOf =
	(option: string, value: unknown): ReadParameter =>
	(name, fallback) =>
		(name === `options.${option}` && value !== undefined ? value : fallback) as typeof fallback;

test.each<[unknown, number]>([
	[undefined, 300],
	[60, 60],
	['60', 60],
	[60.9, 60],
	[-1, 1],
	[1e15, 86_400],
	['', 300],
	['many', 300],
	[null, 300],
	[Number.NaN, 300],
	[{}, 300],
])('Timeout %p is %d seconds', (value, seconds) => {
	expect(readNumber(readerOf(TIMEOUT.name, value), TIMEOUT)).toBe(seconds);
});

test.each<[unknown, number, Array<[string, number]>]>([
	[70.5, 70.5, []],
	['95 %', 95, []],
	['70,5', 70.5, []],
	[0, 0, []],
	[-1, 0, []],
	[101, 100, []],
	['80, total: 95', 80, [['total', 95]]],
	['0\n fields.total : 95 %', 0, [['fields.total', 95]]],
	['80, lineItems[2].amount:101', 80, [['lineItems[2].amount', 100]]],
	[[80, 'Total: net, gross: 90.5'], 80, [['Total: net, gross', 90.5]]],
])('Confidence Threshold %p is %d, and for fields %j; without it, there is none', (...row) => {
	const [value, ofAll, fields] = row;
	const thresholds = new Map([['', ofAll], ...fields]);
	expect(readThresholds(readerOf(CONFIDENCE_THRESHOLD.name, value))).toEqual(thresholds);
	expect(readThresholds(readerOf(CONFIDENCE_THRESHOLD.name, undefined))).toBeUndefined();
});

test.each([
	[0.8, ' is 0.8. Did you mean 80?'],
	[1, ' is 1. Did you mean 100?'],
	['0,8', ' is 0.8. Did you mean 80?'],
	['high', ' is not a number. Did you mean 80?'],
	['', ' is not a number. Did you mean 80?'],
	['total: 95', ' is not a number. Did you mean 80?'],
	['80, total: 0.95', ' of "total" is 0.95. Did you mean 95?'],
	['80, total: high', ' of "total" is not a number. Did you mean 80?'],
	['80, total', ' of "total" is not a number. Did you mean 80?'],
])('Confidence Threshold %p is refused', (value, end) => {
	expect(() => readThresholds(readerOf(CONFIDENCE_THRESHOLD.name, value))).toThrow(
		`'Confidence Threshold'${end}`,
	);
});

test.each<[unknown, boolean, boolean]>([
	[undefined, true, true],
	[false, true, false],
	[' FALSE ', true, false],
	['true', false, true],
	['perhaps', false, false],
	[null, true, true],
])('the switch %p, usually %p, is %p', (value, usual, expected) => {
	expect(readSwitch(readerOf('downloadImages', value), 'options.downloadImages', usual)).toBe(
		expected,
	);
});

test.each<[unknown, string[]]>([
	['total, dueDate\n\n supplier name , total,', ['total', 'dueDate', 'supplier name']],
	[['total', ['dueDate, iban'], null, 7], 'total|dueDate, iban|7'.split('|')],
	[' , ', []],
	[null, []],
	[{ name: 'total' }, []],
])('%j lists the names %j', (value, names) => {
	expect(parseNames(value)).toEqual(names);
});

test.each([
	['jobs', 'jobs'],
	['Job', 'Job'],
	[undefined, ''],
	[null, ''],
	[7, '7'],
	[['job'], '["job"]'],
])('%j is no choice: the message quotes it, and lists what there is', (given, quoted) => {
	const description =
		'Nothing was sent. Choose from the list. Possible values: job, automatic, direct.';
	const message = `Unknown value for 'Processing': "${quoted}"`;
	expect(() => parseChoice(PROCESSING, given)).toThrow(
		expect.objectContaining({ message, description }) as Error,
	);
});

test('of several choices, all must be in the list', () => {
	expect(parseChoice(PROCESSING, 'job')).toBe(PROCESSING.options[0]);
	for (const given of [['job', 'direct'], 'job, direct'])
		expect(choicesIn(PROCESSING, given)).toEqual(['job', 'direct']);
	expect(choicesIn(PROCESSING, [])).toEqual([]);
	expect(() => choicesIn(PROCESSING, ['job', 'done'])).toThrow(
		`Unknown value for 'Processing': "done"`,
	);
});
