import type { IDataObject, INodeProperties } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/job/submit.json';
import { INCLUDE_INPUT_FILE, PROCESSED_BEFORE, TEMPLATE } from '../../parameters/options';
import { parseChoice, readTemplateId, type ReadParameter } from '../../parameters/read';
import { getJob } from '../../service/api';
import { isGone } from '../../service/jobs/jobResult';
import { textOf } from '../../text/json';
import { documentOperations } from '../document/index';
import { jobFile, ONE_FILE, type CallContext, type CallOperation } from '../operation';

const JOB_OPERATION = {
	displayName: 'Job Operation',
	name: 'jobOperation',
	type: 'options',
	options: documentOperations.flatMap(({ value, name, description, jobOperation, parameters }) =>
		jobOperation === undefined
			? []
			: [{ name, value, description, jobOperation, takesTemplate: parameters.includes(TEMPLATE) }],
	),
	default: 'extract',
	description:
		'What the job does with the document. Jobs of Split return page ranges without files.',
} satisfies INodeProperties;

const WITH_TEMPLATE = JOB_OPERATION.options
	.filter(({ takesTemplate }) => takesTemplate)
	.map(({ value }) => value);

export const submit: CallOperation = {
	...ONE_FILE,
	kind: 'calls',
	value: 'submit',
	name: 'Submit',
	description: 'Submit a document as a job, without waiting for the result',
	action: 'Submit job',
	outputSchema,
	parameters: [
		JOB_OPERATION,
		{ ...TEMPLATE, displayOptions: { show: { [JOB_OPERATION.name]: WITH_TEMPLATE } } },
	],
	options: [INCLUDE_INPUT_FILE, ...PROCESSED_BEFORE],
	onceOnly: { asks: wantedJob, renew },

	async execute({ jobs, document, read, settings }) {
		const { jobOperation: operation, templateId } = wantedJob(read);
		const { fileName, subject } = document;
		const wanted = { operation, templateId, subject };
		const { job, reference } = await jobs.submit(settings, wanted, jobFile(document));
		const { jobId, status } = job;
		return [{ json: { jobId, status, operation, reference, fileName } }];
	},
};

function wantedJob(read: ReadParameter) {
	const input = read<unknown>(JOB_OPERATION.name, JOB_OPERATION.default);
	const { jobOperation, takesTemplate } = parseChoice(JOB_OPERATION, input);
	return { jobOperation, templateId: takesTemplate ? readTemplateId(read) : undefined };
}

/** With its status; undefined for a job that failed, was canceled or is gone. */
async function renew(
	{ session, settings }: CallContext,
	json: IDataObject,
): Promise<IDataObject | undefined> {
	const jobId = textOf(json.jobId) ?? '';
	const found = await getJob(session, jobId, settings).catch((thrown: unknown) => {
		if (isGone(thrown)) return undefined;
		throw thrown as Error;
	});
	const { status } = found?.job ?? {};
	const isOver = status === undefined || status === 'Failed' || status === 'Cancelled';
	return isOver ? undefined : { ...json, status };
}
