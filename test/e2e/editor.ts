import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { createDataTable } from '../n8n/dataTable';
import {
	byTestId,
	closeNode,
	labelsIn,
	openEditor,
	openNewCredential,
	openNode,
	openWorkflow,
	parameter,
	runInEditor,
} from '../n8n/editor';
import { latestN8n, n8nVersions, type N8nVersion } from '../n8n/recipes';
import type { Workflow } from '../n8n/host';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { documentOperations as allOperations } from '../../nodes/DocumentIntelligence/operations/document';
import { resources } from '../../nodes/DocumentIntelligence/operations';
import { optionsShown, shown } from '../nodes/panel';
import { accountTemplates } from '../stand-in/processing/templates';
import type { StandIn } from '../stand-in/startStandIn';
import { checkAssistantSearch, checkPreviews, NEAR_WORDS } from './assistant';
import { check, expect, expectEqual } from './checks';
import { faceWorkflow } from './operations';
import { picture, pictureBesideDocument, pictureOfNodes, THEMES, type Theme } from './pictures';
import {
	addCredential,
	documents,
	fresh,
	newKey,
	repository,
	requestsFromNow,
	withHost,
	type Setting,
} from './setting';
import { triggerInEditor } from './triggerEditor';
import { documentIntelligence, NODE, readFiles, readSorted, start, workflow } from './workflows';

/** What users see and do in a browser. The same run takes the pictures of the documentation. */
export async function editor(setting: Setting): Promise<void> {
	await withEditor(setting, latestN8n, async (page, workflows, server) => {
		// First, while the editor is in light mode and contains no change that n8n might save.
		await canvases(page, workflows.examples);
		await nodesPanel(page, workflows.rows, latestN8n);
		await triggerInEditor(page, server, setting, latestN8n);
		await checkAssistantSearch(server, latestN8n);
		await checkPreviews(page, server, setting.standIn);
		await credential(page, setting.standIn);
		await operations(page, workflows.forms);
		await template(page, setting.standIn, workflows.template, latestN8n);
		await documentsOfBundle(page, workflows);
		await results(page, workflows, setting.standIn);
		for (const theme of THEMES) await output(page, workflows, theme);
	});
	// The other generation selects the entries of its nodes panel by other rules. Everything else is the same.
	for (const version of n8nVersions.filter((one) => one !== latestN8n)) {
		await withEditor(setting, version, async (page, workflows, server) => {
			await nodesPanel(page, workflows.rows, version);
			await triggerInEditor(page, server, setting, version);
			await template(page, setting.standIn, workflows.template, version);
		});
	}
}

type Workflows = Awaited<ReturnType<typeof addWorkflows>>;

async function withEditor(
	setting: Setting,
	version: N8nVersion,
	work: (page: Page, workflows: Workflows, server: Server) => Promise<void>,
): Promise<void> {
	const { standIn } = setting;
	await withHost(setting, { version, binaryData: 'filesystem' }, async (server) => {
		await fresh(standIn);
		await addCredential(server, standIn);
		const opened = await openEditor(server);
		try {
			await work(opened.page, await addWorkflows(server), server);
		} finally {
			await opened.close();
		}
	});
}

/** The example workflows, by the names of their files, with a table, which n8n would otherwise warn of. */
async function addExamples(server: Server): Promise<Array<{ name: string; id: string }>> {
	const table = await createDataTable(server, 'Rows', [{ name: 'fileName', type: 'string' }]);
	const folder = join(repository, 'examples');
	const names = (await readdir(folder))
		.filter((file) => file.endsWith('.json'))
		.map((file) => basename(file, '.json'));
	const added = [];
	for (const name of names.sort()) {
		const example = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Workflow;
		for (const { parameters } of example.nodes)
			if (parameters.dataTableId) Object.assign(parameters.dataTableId, { value: table.id });
		added.push({ name, id: await server.addWorkflow(example) });
	}
	return added;
}

/** n8n's triangles on nodes that lack something. */
const WARNINGS = '[data-test-id="node-issues"], [data-test-id="node-setup-required"]';

/** How many pixels of a note's text are below its edge. */
async function hiddenLines(page: Page): Promise<number> {
	const parts = byTestId(page, 'sticky').locator('*');
	return await parts.evaluateAll((all) =>
		Math.max(
			...(all as Array<{ scrollHeight: number; clientHeight: number }>)
				.filter(({ clientHeight }) => clientHeight > 100)
				.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
		),
	);
}

/** Pictures of the examples on the canvas. */
async function canvases(page: Page, examples: Array<{ name: string; id: string }>): Promise<void> {
	await check('Every example opens on the canvas', async () => {
		for (const { name, id } of examples) {
			await openWorkflow(page, id);
			const nodes = await byTestId(page, 'canvas-node').count();
			expect(nodes > 2, `${name} shows ${nodes} nodes`);
			expectEqual(await page.locator(WARNINGS).count(), 0, `warnings of ${name}`);
			expectEqual(await hiddenLines(page), 0, `pixels of the note of ${name} that are cut off`);
			await pictureOfNodes(page, `example-${name}`);
		}
		return `${examples.length} of them`;
	});
}

async function addWorkflows(server: Server) {
	const extract = { operation: 'extract' };
	const rows = (options: object = {}) =>
		workflow('Invoices to Spreadsheet', [
			start(),
			readFiles(INVOICE),
			documentIntelligence({ ...extract, output: 'rows', options }),
		]);
	return {
		examples: await addExamples(server),
		// In both themes, with the same note.
		rows: await server.addWorkflow(rows({ processedBefore: 'process' })),
		// n8n saves choices in a panel automatically, so the panels use a separate workflow.
		forms: await server.addWorkflow(rows()),
		template: await server.addWorkflow(
			workflow('Template', [
				start(),
				readFiles(join(documents, 'invoice-us.pdf')),
				documentIntelligence(extract),
			]),
		),
		split: await server.addWorkflow(
			workflow('Split', [
				start(),
				readFiles(join(documents, 'bundle.pdf')),
				documentIntelligence({ operation: 'split' }),
			]),
		),
		review: await server.addWorkflow(
			workflow('Review', [
				start(),
				readFiles(join(documents, 'invoice-us.pdf')),
				documentIntelligence({
					...extract,
					output: 'documentRows',
					options: {
						requiredFields: 'deliveryDate',
						checks: 'total = lineItems.amount',
					},
				}),
			]),
		),
		faces: await server.addWorkflow(faceWorkflow('Faces', 'portrait.png')),
		failure: await server.addWorkflow(
			workflow('Failure', [
				start(),
				...readSorted(join(documents, '{form,invoice-uk}.pdf')),
				documentIntelligence(extract, { onError: 'continueErrorOutput' }),
			]),
		),
		refusal: await server.addWorkflow(
			workflow('Refusal', [
				start(),
				readFiles(join(documents, 'notes.txt')),
				documentIntelligence(extract),
			]),
		),
		hint: await server.addWorkflow(
			workflow('Hint', [
				start(),
				readFiles(join(documents, '{invoice-us.pdf,notes.txt}')),
				documentIntelligence({ ...extract, options: { ignoreUnsupportedFiles: true } }),
			]),
		),
	};
}

/** The invoice whose rows the README shows. */
const INVOICE = join(documents, 'invoice-uk.pdf');

/** Search terms that should find only this node. */
const OWN_WORDS = ['OCR', 'invoice', 'invoices', 'passport', 'receipt', 'id card', 'bookkeeping'];

/** Search terms of people who look for a node like this one. */
const SEARCHED = [
	...new Set([...OWN_WORDS, ...NEAR_WORDS]),
	...['pdf', 'extract', 'read', 'split', 'submit', 'attachment', 'form'],
];

async function nodesPanel(page: Page, workflowId: string, version: N8nVersion): Promise<void> {
	const panel = byTestId(page, 'node-creator');
	const search = async (word: string) => {
		await openWorkflow(page, workflowId);
		await byTestId(page, 'node-creator-plus-button').click();
		await byTestId(page, 'node-creator-search-bar').fill(word);
		return byTestId(page, 'node-creator-item-name');
	};
	for (const word of SEARCHED) {
		await check(`Found in the nodes panel of n8n ${version} by "${word}"`, async () => {
			const names = await search(word);
			await names
				.filter({ hasText: NODE })
				.first()
				.waitFor({ timeout: 5000 })
				.catch(() => undefined);
			const found = (await names.allInnerTexts()).map((name) => name.trim());
			const place = found.indexOf(NODE) + 1;
			const isOwn = OWN_WORDS.includes(word);
			const lastPlace = NEAR_WORDS.includes(word) ? 2 : isOwn ? 3 : found.length;
			expect(
				place > 0 && place <= lastPlace,
				`at place ${place} of ${found.length}: ${found.slice(0, 5).join(', ')}`,
			);
			return `at place ${place} of ${found.length}`;
		});
	}
	await check(`The nodes panel of n8n ${version} lists an action for each operation`, async () => {
		const shown = (await search('passport')).filter({ hasText: NODE }).first();
		await shown.waitFor({ timeout: 5000 });
		await shown.click();
		const entries = panel.locator('[data-keyboard-nav-type="action"]');
		await entries.first().waitFor();
		const actions = (await entries.allInnerTexts()).map((entry) => entry.trim());
		const expected = resources.flatMap(({ operations: all }) => all.map(({ action }) => action));
		expectEqual([...actions].sort(), expected.sort(), 'actions');
		return actions.join(', ');
	});
}

/** How n8n shows what the test of a credential says; what it says is in credential.ts. */
async function credential(page: Page, standIn: StandIn): Promise<void> {
	const save = async (apiKey: string) => {
		const dialog = await openNewCredential(page, 'Cogneris Document Intelligence API');
		await parameter(page, 'apiKey').locator('input').fill(apiKey);
		await choose(page, 'region', 'Custom Address');
		await parameter(page, 'baseUrl').locator('input').fill(standIn.url);
		await byTestId(page, 'credential-save-button').click();
		return dialog;
	};
	await check("The credential's test with a good key", async () => {
		const dialog = await save(newKey());
		const banner = dialog.getByText('Connection tested successfully').filter({ visible: true });
		await banner.first().waitFor();
		await withoutNotices(page);
		// As most readers see it, instead of the address of the stand-in.
		await choose(page, 'region', 'United States');
		await picture(page, 'credential', { of: dialog, height: 600 });
	});
	await check("The credential's test with a revoked key", async () => {
		const dialog = await save(standIn.keys.revoked);
		const shown = (text: string | RegExp) =>
			dialog.getByText(text).filter({ visible: true }).first();
		await shown(/Couldn.t connect/).waitFor();
		await shown('More details').click();
		await shown('rejected the API key').waitFor();
	});
}

/** With the credential selected and the output of the workflow. */
const AT_FIRST = [
	'Resource',
	'Operation',
	'Input Source',
	'Input Binary Field',
	'Template',
	'Output',
	'Options',
];

async function operations(page: Page, workflowId: string): Promise<void> {
	await openWorkflow(page, workflowId);
	const panel = await openNode(page, NODE);
	await check('The parameters at first sight', async () => {
		const tab = byTestId(page, 'node-parameters').first();
		await picture(page, 'parameters', { of: tab, height: 780 });
		const seen = await labelsIn(tab);
		expectEqual(seen, AT_FIRST, 'labels');
		return seen.join(', ');
	});
	for (const { value, name } of allOperations) {
		await check(`The parameters of ${name}`, async () => {
			await choose(page, 'operation', name);
			const rows = value === 'extract';
			if (rows) await choose(page, 'output', 'Rows per Line Item');
			const chosen = rows ? { output: 'rows' } : {};
			const parameters = shown(value, chosen).flatMap((property) =>
				['collection', 'notice'].includes(property.type) ? [] : [property.name],
			);
			const options = optionsShown(value, chosen).map(({ displayName }) => displayName);
			const seen = await panel
				.locator('[data-test-id^="parameter-input-"]')
				.filter({ visible: true })
				.evaluateAll((inputs) =>
					inputs.map(
						(input) =>
							(input as { getAttribute(name: string): string | null }).getAttribute(
								'data-test-id',
							) ?? '',
					),
				);
			const names = seen
				.map((id) => id.replace('parameter-input-', ''))
				.filter((id) => !['field', 'item'].includes(id));
			expectEqual(names, parameters, 'parameters');
			await byTestId(page, 'collection-parameter-add').click();
			const offered = page
				.locator('[data-test-id^="collection-parameter-option"]')
				.filter({ visible: true });
			await offered.first().waitFor();
			const found = (await offered.allInnerTexts()).map((option) => option.trim());
			await page.keyboard.press('Escape');
			expectEqual(found, options, 'options');
			return `${parameters.length} parameters, ${options.length} options`;
		});
		// An open dropdown or a closed dialog must not affect the next operation.
		if (!(await panel.isVisible())) await openNode(page, NODE);
	}
	await closeNode(page);
}

/** A template that is not on the first page of the list, which the service cannot search. */
async function template(
	page: Page,
	standIn: StandIn,
	workflowId: string,
	version: N8nVersion,
): Promise<void> {
	const templateCount = 130;
	const chosen = accountTemplates(templateCount)[119];
	await check(`The template list of n8n ${version} finds the 120th by its name`, async () => {
		await standIn.configure({ templateCount });
		const requests = await requestsFromNow(standIn);
		const requested = async (wanted: string) =>
			(await requests()).filter(({ step }) => step === wanted);
		const name = chosen?.name ?? '';
		await openWorkflow(page, workflowId);
		await openNode(page, NODE);
		await byTestId(page, 'rlc-input').click();
		const items = byTestId(page, 'rlc-item').filter({ visible: true });
		await items.first().waitFor();
		const listed = await items.allInnerTexts();
		expect(!listed.some((text) => text.includes(name)), 'it is on the first page already');
		await byTestId(page, 'rlc-search').fill(name);
		await items.filter({ hasText: name }).waitFor();
		const found = (await items.allInnerTexts()).map((text) => text.trim());
		expectEqual(found, [name], 'templates that were found');
		await items.first().click();

		// Reopens the node, so that the panel shows the saved values.
		await closeNode(page);
		await openNode(page, NODE);
		expectEqual(await byTestId(page, 'rlc-input').inputValue(), name, 'chosen');
		await closeNode(page);
		const words = await runInEditor(page);
		const bodies = (await requested('submit')).map(({ body }) => body ?? '');
		expectEqual(bodies.length, 1, 'submissions');
		expect(bodies[0]?.includes(`"templateId":"${chosen?.id}"`) ?? false, bodies.join());
		return `${listed.length} on the first page, "${name}" found with ${(await requested('templates')).length} requests, chosen and submitted; "${words}"`;
	});
	await standIn.configure({ templateCount: null });
}

/** Runs a workflow, opens its node, and waits for the output. */
async function runAndOpen(page: Page, workflowId: string): Promise<string> {
	await openWorkflow(page, workflowId);
	const words = await runInEditor(page);
	await openNode(page, NODE);
	return words;
}

async function expectShown(panel: Locator, ...words: string[]): Promise<void> {
	let shown = '';
	const areShown = async () => {
		shown = await panel.innerText();
		return words.every((word) => shown.includes(word));
	};
	await until(areShown, 10, 'not shown').catch(() =>
		expect(false, `not all of ${words.join(', ')} are in ${shown.slice(0, 2000)}`),
	);
}

async function output(page: Page, workflows: Workflows, theme: Theme): Promise<void> {
	await page.emulateMedia({ colorScheme: theme });
	const panel = byTestId(page, 'output-panel');

	await check(`The output panel, ${theme} theme`, async () => {
		await page.setViewportSize({ width: 2500, height: 760 });
		const words = await runAndOpen(page, workflows.rows);
		await expectShown(panel, '5 items', '0004021', 'Copper pipe');
		const sheet = { file: INVOICE, width: 500, height: 475 };
		await pictureBesideDocument(page, 'spreadsheet-rows', sheet, { of: panel, width: 690, theme });
		return `"${words}", 5 items as a table`;
	});
	await page.setViewportSize({ width: 1440, height: 900 });

	await check(`A refusal, ${theme} theme`, async () => {
		await runAndOpen(page, workflows.refusal);
		await expectShown(byTestId(page, 'node-error-message'), 'notes.txt');
		await expectShown(byTestId(page, 'node-error-description'), 'Ignore Unsupported Files');
		await picture(page, 'refusal', { of: panel, height: 246, theme });
	});

	await check(`A hint, ${theme} theme`, async () => {
		await runAndOpen(page, workflows.hint);
		await expectShown(panel, 'skipped');
	});
}

/** The output of Split. */
async function documentsOfBundle(page: Page, workflows: Workflows): Promise<void> {
	const panel = byTestId(page, 'output-panel');
	await check('The documents of a bundle', async () => {
		await page.setViewportSize({ width: 2000, height: 520 });
		await runAndOpen(page, workflows.split);
		// n8n shows the files first.
		await panel.getByText('Table', { exact: true }).click();
		await panel.locator('th').first().waitFor();
		await expectShown(panel, '5 items', 'bundle-1-Invoice.pdf', 'bundle-5-');
		await picture(page, 'split-documents', { of: panel });
		return '5 items as a table';
	});
	await page.setViewportSize({ width: 1440, height: 900 });
}

/** With a link to the face, and the same in each picture. */
const COMPARISON = {
	requestId: '0f6b2f5e-7f3d-4c55-9f0e-6a1f4f1d2c10',
	extractions: [
		{
			sourceDocumentId: '5d8f2f7a-2b1c-4f6e-8a34-91c7d3b0e652',
			hasFace: true,
			documentType: 'Identity Card',
			cropSignedUrl: 'https://images.example/face-1.png',
		},
	],
	matches: [
		{
			sourceDocumentId: '5d8f2f7a-2b1c-4f6e-8a34-91c7d3b0e652',
			selfieDocumentId: 'c2a4e1d0-95b7-4e0c-b1f3-3f5a7c6d8e94',
			score: 0.827,
			matched: true,
			tooManyFaces: false,
		},
	],
};

/** What decides the next step of a flow, as JSON. */
async function results(page: Page, workflows: Workflows, standIn: StandIn): Promise<void> {
	const panel = byTestId(page, 'output-panel');
	const asJson = async (id: string, ...words: string[]) => {
		await page.setViewportSize({ width: 1800, height: 900 });
		await runAndOpen(page, id);
		if (words.includes('Error Branch')) await panel.getByText('Error Branch').click();
		await panel.getByText('JSON', { exact: true }).click();
		await expectShown(panel, ...words);
	};
	await check('An invoice to review', async () => {
		await asJson(workflows.review, 'needsReview', 'reviewReasons', 'deliveryDate has no value');
		await picture(page, 'review-output', { of: panel, height: 760 });
	});
	await check('A file that failed, at the error output', async () => {
		await asJson(workflows.failure, 'httpCode', 'Error Branch', 'form.pdf', 'Cogneris rejected');
		await picture(page, 'error-output', { of: panel, height: 546 });
	});
	await check('A comparison of faces', async () => {
		await standIn.queueFaults([{ kind: 'answer', data: COMPARISON }]);
		await asJson(workflows.faces, 'matched', 'bestScore', 'matches');
		await picture(page, 'match-faces', { of: panel, height: 630 });
	});
	// The editor keeps the choice.
	await panel.getByText('Table', { exact: true }).click();
	await page.setViewportSize({ width: 1440, height: 900 });
}

/** Selects an entry of a list parameter. */
async function choose(page: Page, name: string, entry: string): Promise<void> {
	await parameter(page, name).click();
	// An entry contains its name and, below it, its description.
	const item = byTestId(page, 'parameter-input-item').filter({
		visible: true,
		hasText: new RegExp(`^\\s*${entry}`),
	});
	await item.first().click();
	await item.first().waitFor({ state: 'hidden' });
}

/** n8n's notifications would cover the picture. */
async function withoutNotices(page: Page): Promise<void> {
	for (const cross of await page.locator('.el-notification__closeBtn').all())
		await cross.click().catch(() => undefined);
	await page
		.locator('.el-notification')
		.first()
		.waitFor({ state: 'detached' })
		.catch(() => undefined);
}
