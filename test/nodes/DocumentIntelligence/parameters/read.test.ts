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
	readThreshold,
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

test.each<[unknown, number | undefined]>([
	[undefined, undefined],
	[70.5, 70.5],
	['95 %', 95],
	[0, 0],
	[-1, 0],
	[101, 100],
])('Confidence Threshold %p is %p', (value, threshold) => {
	expect(readThreshold(readerOf(CONFIDENCE_THRESHOLD.name, value))).toBe(threshold);
});

test.each([
	[0.8, '0.8. Did you mean 80?'],
	[1, '1. Did you mean 100?'],
	['0,8', '0.8. Did you mean 80?'],
	['high', 'not a number. Did you mean 80?'],
])('Confidence Threshold %p is refused', (value, end) => {
	expect(() => readThreshold(readerOf(CONFIDENCE_THRESHOLD.name, value))).toThrow(
		`'Confidence Threshold' is ${end}`,
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
	[
		['total', ['dueDate, iban'], null, 7],
		['total', 'dueDate, iban', '7'],
	],
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
])(
	'%j is no choice: the message quotes it, and the advice lists what there is',
	(given, quoted) => {
		expect(() => parseChoice(PROCESSING, given)).toThrow(
			expect.objectContaining({
				message: `Unknown value for 'Processing': "${quoted}"`,
				description:
					'Nothing was sent. Choose from the list. Possible values: job, automatic, direct.',
			}) as Error,
		);
	},
);

test('of several choices, all must be in the list', () => {
	expect(parseChoice(PROCESSING, 'job')).toBe(PROCESSING.options[0]);
	for (const given of [['job', 'direct'], 'job, direct'])
		expect(choicesIn(PROCESSING, given)).toEqual(['job', 'direct']);
	expect(choicesIn(PROCESSING, [])).toEqual([]);
	expect(() => choicesIn(PROCESSING, ['job', 'done'])).toThrow(
		`Unknown value for 'Processing': "done"`,
	);
});
