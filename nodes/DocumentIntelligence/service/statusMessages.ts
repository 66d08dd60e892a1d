import { CHECK_FIRST, type FailureMessage } from './requestError';

export const NOT_OUR_SERVICE =
	'Check the region or the custom address in the credential. If it is right, the service may be temporarily unavailable.';

export const KEY_REJECTED: FailureMessage = {
	message: (subject) => `The service rejected the API key in the request for ${subject}`,
	suggestedFix:
		'Check in the credential that the key is complete, that it has not been revoked, and that the region is the one it was created in.',
};

/** Of the statuses that any request may be answered with; each resource adds its own (docs/service-contract.md, statuses). */
export const STATUS_MESSAGES: Readonly<Record<number, FailureMessage>> = {
	401: KEY_REJECTED,
	403: {
		message: (subject) =>
			`The subscription does not cover this operation, so ${subject} was not processed`,
		suggestedFix: 'Check in the platform that a subscription for this operation is active.',
	},
	404: {
		message: (subject) =>
			`There is no document service at this address, so ${subject} was not processed`,
		suggestedFix: NOT_OUR_SERVICE,
	},
	405: {
		message: (subject) => `The address does not accept documents, so ${subject} was not processed`,
		suggestedFix: NOT_OUR_SERVICE,
	},
	429: {
		message: (subject) =>
			`The rate limit of the API key is reached, so ${subject} was not processed`,
		suggestedFix:
			'Run the document again in a minute. If other programs use the same key, lower Requests per Minute in the credential.',
	},
	500: {
		message: (subject) => `The service could not finish ${subject}`,
		suggestedFix: CHECK_FIRST,
	},
	502: {
		message: (subject) => `The gateway could not reach the service for ${subject}`,
		suggestedFix: CHECK_FIRST,
	},
	503: {
		message: (subject) => `The service was not available for ${subject}`,
		suggestedFix: CHECK_FIRST,
	},
	504: {
		message: (subject) => `The service took too long with ${subject}, and its gateway timed out`,
		suggestedFix: CHECK_FIRST,
	},
};

export const QUOTA_MESSAGE: FailureMessage = {
	message: (subject) => `The quota of the plan is used up, so ${subject} was not processed`,
	suggestedFix:
		'Check in the platform how much of the quota is left, or upgrade the plan. The quota is separate from the limit of 50 requests per minute.',
};

export const REDIRECT_MESSAGE: FailureMessage = {
	message: (subject) => `The address redirected the request for ${subject}`,
	suggestedFix:
		'The key is not sent to an address that the credential does not name. Check the region or the custom address.',
};
