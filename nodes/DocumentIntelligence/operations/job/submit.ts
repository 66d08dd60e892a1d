import type { INodeProperties } from 'n8n-workflow';

import { INCLUDE_INPUT_FILE, TEMPLATE } from '../../parameters/options';
import { parseChoice, readTemplateId, type ReadParameter } from '../../parameters/read';
import type { Submitted } from '../../service/jobs/runningJobs';
import { documentOperations } from '../document/index';
import { extract } from '../document/extract';
import { fileOf, ONE_FILE, type CallOperation } from '../operation';

const JOB_OPERATION = {
	displayName: 'Job Operation',
	name: 'jobOperation',
	type: 'options',
	options: documentOperations.flatMap(({ value, name, description, jobOperation }) =>
		jobOperation === undefined ? [] : [{ name, value, description, jobOperation }],
	),
	default: 'extract',
	description: 'What the job does with the document',
} satisfies INodeProperties;

export const submit: CallOperation<Submitted> = {
	...ONE_FILE,
	kind: 'calls',
	value: 'submit',
	name: 'Submit',
	description: 'Submit a document as a job, without waiting for the result',
	action: 'Submit job',
	parameters: [
		JOB_OPERATION,
		{ ...TEMPLATE, displayOptions: { show: { [JOB_OPERATION.name]: ['extract'] } } },
	],
	options: [INCLUDE_INPUT_FILE],

	async execute({ jobs, document, subject, read, settings }) {
		const operation = readJobOperation(read);
		const templateId = operation === extract.jobOperation ? readTemplateId(read) : undefined;
		return await jobs.submit(settings, { operation, templateId, subject }, fileOf(document));
	},

	toOutputs({ job: { jobId, status }, reference }, { document: { fileName }, read }) {
		const operation = readJobOperation(read);
		return [{ json: { jobId, status, operation, reference, fileName } }];
	},
};

function readJobOperation(read: ReadParameter): string {
	const input = read<unknown>(JOB_OPERATION.name, JOB_OPERATION.default);
	return parseChoice(JOB_OPERATION, input).jobOperation;
}
