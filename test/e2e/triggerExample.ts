import assert from 'node:assert/strict';

import { createDataTable, ownColumns } from '../n8n/dataTable';
import { until } from '../n8n/until';
import {
	assertSuccess,
	example,
	nodeOf,
	startForm,
	tableFor,
	tableRows,
	text,
	uploads,
	type Surroundings,
} from './exampleWorkflow';
import { truth } from './setting';
import { TRIGGER } from './workflows';

const CERTAIN = ['invoice-de.pdf', 'invoice-fr.pdf'];

/** Its dates can be read in two ways. */
const DOUBTFUL = 'invoice-us.pdf';

/** No template fits. */
const UNREADABLE = 'receipt.jpg';

/** A file that is rejected before anything is sent. */
function tooLarge(): File {
	const content = Buffer.alloc(10.5 * 1024 * 1024);
	content.write('%PDF-1.4\n');
	return new File([content], 'too-large.pdf', { type: 'application/pdf' });
}

/** The trigger continues with the jobs that a form submits: certain rows go to a table, everything else to a person, each job once and with its file name. */
export async function checkContinue(surroundings: Surroundings): Promise<string> {
	const { server } = surroundings;
	const workflow = await example('continue-when-ready.json');
	const table = await tableFor(server, 'invoice-lines', workflow, 'Add to Table');
	const names = await createDataTable(server, `Names ${Date.now()}`, [
		{ name: 'jobId', type: 'string' },
		{ name: 'fileName', type: 'string' },
	]);
	for (const name of ['Look Up File Name', 'Remember File Name'])
		Object.assign(nodeOf(workflow, name).parameters.dataTableId as object, { value: names.id });
	const files = [...CERTAIN, DOUBTFUL, UNREADABLE];
	const form = await startForm(surroundings, workflow);
	const id = form.workflowId;
	try {
		const submitted = await form.submit({ Invoices: [...(await uploads(files)), tooLarge()] });
		assert.equal(submitted.items('Submit').length, files.length);
		for (const refused of [submitted.items('Submit', 1), submitted.items('Needs Review')])
			assert.deepEqual(
				refused.map(({ json }) => (json.error as { fileName?: unknown }).fileName),
				['too-large.pdf'],
			);

		// An activation polls at once, so the test does not wait for the next minute.
		await server.deactivate(id);
		await server.activate(id);
		const runs = async () => {
			const ids = (await server.executionIds(id)).filter((run) => run !== submitted.id);
			const executions = await Promise.all(ids.map(async (run) => await server.execution(run)));
			return executions.map((run) => assertSuccess(run, workflow.name));
		};
		const started = async () => (await runs()).flatMap((run) => run.items(TRIGGER));
		const jobs = submitted.items('Submit').map(({ json }) => text(json.jobId));
		const jobOf = (file: string) =>
			text(submitted.items('Submit').find(({ json }) => json.fileName === file)?.json.jobId);
		await until(
			async () => new Set((await started()).map(({ json }) => json.jobId)).size === jobs.length,
			150,
			'the trigger did not start with every job',
		);

		const looked = (await runs()).flatMap((run) =>
			'Needs Review' in run.runData ? run.items('Needs Review') : [],
		);
		assert.deepEqual(
			[...new Set(looked.map(({ json }) => json.jobId))].sort(),
			[jobOf(DOUBTFUL), jobOf(UNREADABLE)].sort(),
		);
		const failed = looked.filter(({ json }) => json.error !== undefined);
		assert.deepEqual(
			failed.map(({ json }) => [json.jobId, json.fileName, json.failureCode]),
			[[jobOf(UNREADABLE), UNREADABLE, 'template_not_found']],
		);
		const rows = await table.rows();
		for (const file of CERTAIN)
			assert.deepEqual(
				rows.filter(({ fileName }) => fileName === file).map(ownColumns),
				tableRows(truth[file]!).map((row) => ({ fileName: file, ...row })),
				file,
			);
		const expected = CERTAIN.flatMap((file) => truth[file]?.lineItems ?? []).length;
		assert.equal(rows.length, expected, 'rows of no other job');
		return `${rows.length} rows of ${CERTAIN.length} of ${jobs.length} jobs in the table; one for review, one failed and one not submitted`;
	} finally {
		await server.deactivate(id);
	}
}
