import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { byTestId, closeNode, labelsIn, openNode, openWorkflow, readNotice } from '../n8n/editor';
import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import { picture } from './pictures';
import { addCredential, documents, type Setting } from './setting';
import { documentIntelligenceTrigger, nothing, TRIGGER, workflow } from './workflows';

/** Starts without a job. */
const CREDENTIAL = 'Document Intelligence account';

const AT_FIRST = ['Poll Times', 'Mode', 'Trigger On', 'Operations', 'Output', 'Options'];

/** What users see of the trigger: its parameters and its test event. */
export async function triggerInEditor(
	page: Page,
	server: Server,
	{ standIn }: Setting,
): Promise<void> {
	const apiKey = await addCredential(server, standIn, { name: CREDENTIAL });
	const id = await server.addWorkflow(
		workflow('Continue', [
			documentIntelligenceTrigger({ output: 'rows' }, CREDENTIAL),
			nothing('Next'),
		]),
	);
	await openWorkflow(page, id);
	const panel = await openNode(page, TRIGGER);
	const fetchTestEvent = async () => {
		await byTestId(page, 'node-execute-button').first().click();
		return await readNotice(page);
	};

	await check('The parameters of the trigger at first sight', async () => {
		const seen = await labelsIn(byTestId(page, 'node-parameters').first());
		expectEqual(seen, AT_FIRST, 'labels');
	});

	await check('Fetch Test Event says that there is no job, and how to get one', async () => {
		await fetchTestEvent();
		const message = await byTestId(page, 'node-error-message').innerText();
		const description = await byTestId(page, 'node-error-description').innerText();
		expect(message.includes('No finished job matches'), message);
		expect(description.includes('Job: Submit'), description);
		return `${message} / ${description}`;
	});

	await check('Fetch Test Event gives the newest finished job', async () => {
		const invoice = (file: string, finishedMsAgo: number) => ({
			operation: 'Extraction' as const,
			file: join(documents, file),
			finishedMsAgo,
		});
		const [older, newest] = await standIn.addJobs(apiKey, [
			invoice('invoice-uk.pdf', 60_000),
			invoice('invoice-us.pdf', 0),
			{ operation: 'Extraction', status: 'Processing', failureCode: 'corrupt' },
		]);
		const words = await fetchTestEvent();
		const output = byTestId(panel, 'output-panel');
		await byTestId(output, 'ndv-items-count').filter({ visible: true }).last().waitFor();
		const shown = await output.innerText();
		expect(shown.includes('4 items') && shown.includes('INV-2026-0117'), shown.slice(0, 600));
		expect(shown.includes(newest ?? '') && !shown.includes(older ?? ''), 'the job is another one');
		await picture(page, 'trigger', { of: panel });
		return `"${words}", the 4 rows of the newest of 2 finished jobs`;
	});
	await closeNode(page);
}
