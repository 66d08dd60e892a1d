import type { INodeProperties } from 'n8n-workflow';

import { choiceIn } from '../parameters/choices';
import { fileParameters } from '../parameters/fileParameters';
import { INCLUDE_INPUT_FILE } from '../parameters/options';
import { TEMPLATE } from '../parameters/template';
import type { ReadParameter } from '../parameters/readParameter';
import { readTemplateId } from './asJob';
import { fileOf, oneDocumentPerFile, type OwnOperation } from './operation';
import { documentOperations } from './documentOperations';
import type { Submitted } from '../service/jobs/runningJobs';

/** Those that can be jobs, with what the service calls them. */
const choices = documentOperations.flatMap(({ value, name, description, jobOperation }) =>
	jobOperation === undefined ? [] : [{ value, name, description, jobOperation }],
);

const JOB_OPERATION = {
	displayName: 'Job Operation',
	name: 'jobOperation',
	type: 'options',
	options: choices.map(({ value, name, description }) => ({ name, value, description })),
	default: 'extract',
	description: 'What the job does with the document',
} satisfies INodeProperties;

const files = oneDocumentPerFile('file');

export const submit: OwnOperation<Submitted> = {
	value: 'submit',
	name: 'Submit',
	description: 'Have a document processed as a job, without waiting for the result',
	action: 'Submit job',
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters,
	parameters: [
		JOB_OPERATION,
		{
			...TEMPLATE,
			description: 'The template to read the document with. Leave empty to let Cogneris pick one.',
			displayOptions: { show: { [JOB_OPERATION.name]: ['extract'] } },
		},
	],
	options: [],

	documents: async (item) => {
		readJobOperation(item.read);
		readTemplateId(item.read);
		return await files(item);
	},

	async ask(context) {
		const { jobs, document, subject, read } = context;
		const operation = readJobOperation(read);
		const templateId = readTemplateId(read);
		return await jobs.submit(context, { operation, templateId, subject }, fileOf(document));
	},

	toOutputs({ job, reference }, { document: { item, fileName } }) {
		const { jobId, status } = job;
		const operation = readJobOperation(item.read);
		return [{ json: { jobId, status, operation, reference, fileName }, jobId }];
	},
};

/** What the service calls the chosen operation. */
function readJobOperation(read: ReadParameter): string {
	const given = read<unknown>(JOB_OPERATION.name, JOB_OPERATION.default);
	return choiceIn({ ...JOB_OPERATION, options: choices }, given).jobOperation;
}
