import type { FailureMessage } from '../service/requestError';
import { STATUS_MESSAGES } from '../service/statusMessages';

/** What the statuses mean of a document that was sent to be processed (docs/service-contract.md, statuses). */
export const DOCUMENT_STATUS_MESSAGES: Readonly<Record<number, FailureMessage>> = {
	...STATUS_MESSAGES,
	// `hasErrors` without a status of its own.
	200: {
		message: (subject) => `The service did not finish ${subject}`,
		suggestedFix: 'Open the file and check that it is complete and legible.',
	},
	400: {
		message: (subject) => `The service rejected ${subject}`,
		suggestedFix: 'Open the file and check that it is complete and that its type matches its name.',
	},
	413: {
		message: (subject) => `${subject} is too large for the service`,
		suggestedFix: 'Reduce the size of the file, or split it before this node.',
	},
	415: {
		message: (subject) => `The service does not support the file type of ${subject}`,
		suggestedFix: 'Convert the file to PDF before this node.',
	},
	422: {
		message: (subject) => `The service could not read ${subject}`,
		suggestedFix:
			'Open the file and check that it is complete, legible and not protected by a password.',
	},
};
