import { choiceIn, choicesIn } from '../../../../nodes/DocumentIntelligence/parameters/read';

const EVENTS = {
	displayName: 'Trigger On',
	options: [{ value: 'jobFailed' }, { value: 'jobSucceeded', number: 2 }],
};

test.each(['jobSucceeded', 'JobSucceeded', ' jobsucceeded\n'])('%j is a choice', (given) => {
	expect(choiceIn(EVENTS, given)).toBe(EVENTS.options[1]);
});

test.each([
	['succeeded', 'succeeded'],
	['', ''],
	[undefined, ''],
	[null, ''],
	[7, '7'],
	[['jobFailed', 'other'], '["jobFailed","other"]'],
])('%j is none: the message quotes it, and the advice lists what there is', (given, quoted) => {
	expect(() => choiceIn(EVENTS, given)).toThrow(
		expect.objectContaining({
			message: `Unknown Trigger On "${quoted}"`,
			description:
				'Nothing was sent. Choose from the list, or have the expression return one of jobFailed, jobSucceeded.',
		}) as Error,
	);
});

test.each([
	[
		['jobFailed', 'JOBSUCCEEDED'],
		['jobFailed', 'jobSucceeded'],
	],
	['jobFailed, jobSucceeded', ['jobFailed', 'jobSucceeded']],
	['jobFailed', ['jobFailed']],
	[[], []],
	['', []],
])('of several, %j are %j', (given, chosen) => {
	expect(choicesIn(EVENTS, given)).toEqual(chosen);
});

test('one unknown among several is refused', () => {
	expect(() => choicesIn(EVENTS, ['jobFailed', 'done'])).toThrow('Unknown Trigger On "done"');
});
