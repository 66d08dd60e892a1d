import type { FailureMessage } from '../requestError';
import { NOT_OUR_SERVICE, STATUS_MESSAGES } from '../statusMessages';

const TRY_LATER = 'The service may be temporarily unavailable: try again later.';

/** Of these requests, a failure of the service is retried and not looked up in the platform. */
const UNAVAILABLE = Object.fromEntries(
	Object.entries(STATUS_MESSAGES)
		.filter(([status]) => Number(status) >= 500)
		.map(([status, { message }]) => [status, { message, suggestedFix: TRY_LATER }]),
);

/** What the statuses mean of jobs and stored files (docs/service-contract.md, stored files). */
export const JOB_STATUS_MESSAGES: Readonly<Record<number, FailureMessage>> = {
	...STATUS_MESSAGES,
	...UNAVAILABLE,
	// `hasErrors` without a status of its own.
	200: {
		message: (subject) => `The service did not finish ${subject}`,
		suggestedFix: TRY_LATER,
	},
	400: {
		message: (subject) => `The service rejected the request for ${subject}`,
		suggestedFix: 'Check the job ID or file reference: it has to be one of the same API key.',
	},
	403: {
		message: (subject) => `The API key may not be used for ${subject}`,
		suggestedFix:
			'Check in the platform that a subscription is active. A sandbox key (xtkt_test_) works with jobs and stored files only, and without a template.',
	},
	404: {
		message: (subject) => `The service does not know ${subject}`,
		suggestedFix:
			'Jobs and stored files are kept for 7 days and belong to the account of the API key. Check the ID or reference, and that the credential is the one it was made with.',
	},
	405: {
		message: (subject) => `The address does not accept the request for ${subject}`,
		suggestedFix: NOT_OUR_SERVICE,
	},
	409: {
		message: (subject) => `The service cannot do this to ${subject} at the moment`,
		suggestedFix: 'A job that has finished or is being cancelled cannot be cancelled.',
	},
	410: {
		message: (subject) => `The service no longer keeps ${subject}`,
		suggestedFix:
			'Stored files and results are kept for 7 days. Upload the file again, or process it again.',
	},
	413: {
		message: (subject) => `${subject} is too large for the service`,
		suggestedFix: 'Files of jobs may have 10 MB. Split a long PDF first.',
	},
	422: {
		message: (subject) => `The service could not accept ${subject}`,
		suggestedFix: 'Open the file and check that it is complete and not protected by a password.',
	},
	429: {
		message: (subject) =>
			`The rate limit of the API key is reached, so the request for ${subject} was rejected`,
		suggestedFix:
			'Try again in a minute. If other programs use the same key, lower Requests per Minute in the credential.',
	},
};

/** What the statuses mean of a list, which is there even where it is empty. */
export const LIST_STATUS_MESSAGES: typeof JOB_STATUS_MESSAGES = {
	...JOB_STATUS_MESSAGES,
	404: {
		message: (subject) => `There is no document service at this address that knows ${subject}`,
		suggestedFix: NOT_OUR_SERVICE,
	},
};

export const WITH_GET_MANY =
	'with the resource Job, operation Get Many, before running the document again.';

/** What codes mean of a submission, by their small letters (docs/service-contract.md, jobs). */
export const SUBMISSION_MESSAGES: Readonly<Record<string, FailureMessage>> = {
	template_unknown: {
		message: (subject) => `The service does not know the template for ${subject}`,
		suggestedFix:
			'Choose a template from the list: it has to be finished, and of the account of the API key.',
	},
	template_not_applicable: {
		message: (subject) => `This operation takes no template, so ${subject} was not processed`,
		suggestedFix: 'Remove the template, or use Extract.',
	},
	idempotency_replay_unavailable: {
		message: (subject) =>
			`${subject} was submitted as a job, but the service cannot tell its job ID`,
		suggestedFix: `The job may have been billed. Find it ${WITH_GET_MANY}`,
	},
	idempotency_key_conflict: {
		message: (subject) => `The service took the job of ${subject} for another one`,
		suggestedFix: `The first submission may have been billed. Find it ${WITH_GET_MANY}`,
	},
};
