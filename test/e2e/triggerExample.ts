import assert from 'node:assert/strict';

import { createDataTable, ownColumns } from '../n8n/dataTable';
import type { Execution } from '../n8n/execution';
import { until } from '../n8n/until';
import {
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
import { assertSuccess, TRIGGER } from './workflows';

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
export async function checkContinue(surroundings: Surroundings): Promise<void> {
	const { server } = surroundings;
	const workflow = await example('continue-when-ready.json');
	const table = await tableFor(server, 'invoice-lines', workflow, 'Add to Table');
	const names = await createDataTable(server, 'Names', [
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
		assert.deepEqual(
			submitted
				.items('Needs Review')
				.map(({ json }) => (json.error as { fileName?: unknown }).fileName),
			['too-large.pdf'],
		);

		// An activation polls at once, so the test does not wait for the next minute.
		await server.deactivate(id);
		await server.activate(id);
		const jobOf = (file: string) =>
			text(submitted.items('Submit').find(({ json }) => json.fileName === file)?.json.jobId);
		let runs: Execution[] = [];
		const itemsOf = (node: string) =>
			runs.flatMap((run) => (node in run.runData ? run.items(node) : [])).map(({ json }) => json);
		await until(
			async () => {
				const ids = (await server.executionIds(id)).filter((run) => run !== submitted.id);
				runs = await Promise.all(ids.map(async (run) => await server.execution(run)));
				return new Set(itemsOf(TRIGGER).map(({ jobId }) => jobId)).size === files.length;
			},
			150,
			'the trigger did not start with every job',
		);
		for (const run of runs) assertSuccess(run);

		const looked = itemsOf('Needs Review');
		assert.deepEqual(
			[...new Set(looked.map(({ jobId }) => jobId))].sort(),
			[jobOf(DOUBTFUL), jobOf(UNREADABLE)].sort(),
		);
		assert.deepEqual(
			looked
				.filter(({ error }) => error !== undefined)
				.map(({ jobId, fileName, failureCode }) => [jobId, fileName, failureCode]),
			[[jobOf(UNREADABLE), UNREADABLE, 'template_not_found']],
		);
		const rows = await table.rows();
		for (const file of CERTAIN)
			assert.deepEqual(
				rows.filter(({ fileName }) => fileName === file).map(ownColumns),
				tableRows(truth[file]!).map((row) => ({ fileName: file, ...row })),
			);
		const expected = CERTAIN.flatMap((file) => truth[file]?.lineItems ?? []).length;
		assert.equal(rows.length, expected, 'rows of no other job');
	} finally {
		await server.deactivate(id);
	}
}
