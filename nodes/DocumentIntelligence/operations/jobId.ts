import type { INodeProperties } from 'n8n-workflow';

import type { ReadParameter } from '../parameters/readParameter';
import { readIdentifier } from '../parameters/identifier';
import type { AnyOperation } from './operation';

/** Names the job of an operation. */
export const JOB_ID: INodeProperties = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 5f0c2a1e-6f0b-4a59-9a63-6a1f0c8f9d21',
	description: 'The jobId that Submit, Get Many or the trigger has output',
};

/** @throws DocumentError */
export function readJobId(read: ReadParameter): string {
	return readIdentifier(
		read,
		JOB_ID,
		'Enter the ID that Submit or Get Many of the resource Job has output, for example {{ $json.jobId }}.',
	);
}

/** What operations on a single job have in common: no files, and the number of the job as their name. */
export const ofOneJob = {
	fileParameters: [],
	documents: async ({ read }) => {
		readJobId(read);
		return await Promise.resolve([[]]);
	},
	nameOf: ({ read }) => ({ subject: `job ${readJobId(read)}`, fileName: null }),
	isFree: true,
} satisfies Partial<AnyOperation>;
