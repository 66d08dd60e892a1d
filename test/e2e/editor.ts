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
import type { Workflow, WorkflowNode } from '../n8n/host';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { accountTemplates } from '../stand-in/processing/templates';
import type { StandIn } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { assistantSearch, nodesPanel } from './nodesPanel';
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
import {
	documentIntelligence,
	node,
	NODE,
	readSorted,
	sending,
	start,
	workflow,
} from './workflows';

/** What users see and do in a browser. The same run takes the pictures of the documentation. */
export async function editor(setting: Setting): Promise<void> {
	const { standIn } = setting;
	for (const version of n8nVersions)
		await withHost(setting, { version, binaryData: 'filesystem' }, async (server) => {
			await fresh(standIn);
			await addCredential(server, standIn);
			const { page, browser } = await openEditor(server);
			try {
				// First, while the editor is in light mode and contains no change that n8n might save.
				if (version === latestN8n) await canvases(page, server);
				// The other generation selects the entries of its nodes panel by other rules. Everything else is the same.
				await nodesPanel(page, server, version);
				await template(page, server, standIn, version);
				if (version === latestN8n) await panels(page, server, setting);
			} finally {
				await browser.close();
			}
		});
}

async function panels(page: Page, server: Server, setting: Setting): Promise<void> {
	const { standIn } = setting;
	await assistantSearch(server, latestN8n);
	await previews(page, server, standIn);
	await triggerInEditor(page, server, setting);
	await credential(page, standIn);
	await parameters(page, server);
	for (const { title, ...output } of outputs)
		for (const theme of output.themes ?? ['light'])
			await check(`${title}, ${theme} theme`, async () => {
				await page.emulateMedia({ colorScheme: theme });
				return await expectOutput(page, server, standIn, output, theme);
			});
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

/** Pictures of the examples on the canvas, with a table, which n8n would otherwise warn of. */
async function canvases(page: Page, server: Server): Promise<void> {
	await check('Every example opens on the canvas', async () => {
		const table = await createDataTable(server, 'Rows', [{ name: 'fileName', type: 'string' }]);
		const folder = join(repository, 'examples');
		const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
		for (const file of files.sort()) {
			const example = JSON.parse(await readFile(join(folder, file), 'utf8')) as Workflow;
			for (const { parameters } of example.nodes)
				if (parameters.dataTableId) Object.assign(parameters.dataTableId, { value: table.id });
			await openWorkflow(page, await server.addWorkflow(example));
			const nodes = await byTestId(page, 'canvas-node').count();
			expect(nodes > 2, `${file} shows ${nodes} nodes`);
			expectEqual(await page.locator(WARNINGS).count(), 0, `warnings of ${file}`);
			expectEqual(await hiddenLines(page), 0, `pixels of the note of ${file} that are cut off`);
			await pictureOfNodes(page, `example-${basename(file, '.json')}`);
		}
		return `${files.length} of them`;
	});
}

/** Some of the fields that n8n shows in the next node. */
const PREVIEWS = {
	split: { fields: ['documentType', 'firstPage', 'sourceFileName'], height: 390 },
	classify: { fields: ['documentType', 'confidence', 'templateId'], height: 294 },
};

/** The input panel of the next node, before anything has run. */
async function previews(page: Page, server: Server, standIn: StandIn): Promise<void> {
	const panel = byTestId(page, 'ndv-input-panel');
	// Below the fields, a button of n8n covers a part of the panel.
	await page.setViewportSize({ width: 1440, height: 1300 });
	for (const [operation, { fields, height }] of Object.entries(PREVIEWS))
		await check(`The fields of ${operation} before the first run`, async () => {
			const requests = await requestsFromNow(standIn);
			const next = node('Next', 'n8n-nodes-base.set', 3.4, { assignments: { assignments: [] } });
			await openNew(page, server, [...sending('bundle.pdf', { operation }), next]);
			await openNode(page, 'Next');
			await panel.getByText('Usually outputs the following fields').waitFor();
			await expectShown(panel, ...fields);
			expectEqual(await requests(), [], 'requests');
			await picture(page, `preview-${operation}`, { of: panel, height });
			await closeNode(page);
		});
	await page.setViewportSize({ width: 1440, height: 900 });
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

/** Which parameters each operation has, the tests of the panel say (test/nodes/panel.ts). */
async function parameters(page: Page, server: Server): Promise<void> {
	await openNew(page, server, sending(INVOICE, { ...EXTRACT, output: 'rows' }));
	await openNode(page, NODE);
	await check('The parameters at first sight', async () => {
		const tab = byTestId(page, 'node-parameters').first();
		await picture(page, 'parameters', { of: tab, height: 780 });
		expectEqual(await labelsIn(tab), AT_FIRST, 'labels');
	});
	await closeNode(page);
}

/** A template that is not on the first page of the list, which the service cannot search. */
async function template(
	page: Page,
	server: Server,
	standIn: StandIn,
	version: N8nVersion,
): Promise<void> {
	const templateCount = 130;
	const { name = '', id = '' } = accountTemplates(templateCount)[119] ?? {};
	await check(`The template list of n8n ${version} finds the 120th by its name`, async () => {
		await standIn.configure({ templateCount });
		const requests = await requestsFromNow(standIn);
		await openNew(page, server, sending('invoice-us.pdf', EXTRACT));
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
		await runInEditor(page);
		const bodies = (await requests())
			.filter(({ step }) => step === 'submit')
			.map(({ body }) => body ?? '');
		expectEqual(bodies.length, 1, 'submissions');
		expect(bodies[0]?.includes(`"templateId":"${id}"`) ?? false, bodies.join());
		return `${listed.length} on the first page, "${name}" found, chosen and submitted`;
	});
	await standIn.configure({ templateCount: null });
}

/** The invoice whose rows the README shows. */
const INVOICE = 'invoice-uk.pdf';

const EXTRACT = { operation: 'extract' };

async function openNew(page: Page, server: Server, nodes: WorkflowNode[]): Promise<void> {
	await openWorkflow(page, await server.addWorkflow(workflow('Invoices to Spreadsheet', nodes)));
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

interface Output {
	made: Workflow;
	size: { width: number; height: number };
	/** n8n keeps the view that was chosen last, and shows the files of a new output first. */
	view?: 'Table' | 'JSON';
	branch?: string;
	/** What the service answers. */
	data?: object;
	/** Words of the output, or of the message and the description of an error. */
	words: string[] | { message: string; description: string };
	themes?: Theme[];
	picture?: { name: string; height?: number; beside?: string };
}

const panelSize = { width: 1440, height: 900 };
const jsonSize = { width: 1800, height: 900 };

/** Outputs as users see them after a run, and the pictures of some. */
const outputs: Array<Output & { title: string }> = [
	{
		title: 'The documents of a bundle',
		made: workflow('Split', sending('bundle.pdf', { operation: 'split' })),
		size: { width: 2000, height: 520 },
		view: 'Table',
		words: ['5 items', 'bundle-1-Invoice.pdf', 'bundle-5-'],
		picture: { name: 'split-documents' },
	},
	{
		title: 'An invoice to review',
		made: workflow(
			'Review',
			sending('invoice-us.pdf', {
				...EXTRACT,
				output: 'documentRows',
				options: { requiredFields: 'deliveryDate', checks: 'total = lineItems.amount' },
			}),
		),
		size: jsonSize,
		view: 'JSON',
		words: ['needsReview', 'reviewReasons', 'deliveryDate has no value'],
		picture: { name: 'review-output', height: 760 },
	},
	{
		title: 'A file that failed, at the error output',
		made: workflow('Failure', [
			start(),
			...readSorted(join(documents, '{form,invoice-uk}.pdf')),
			documentIntelligence(EXTRACT, { onError: 'continueErrorOutput' }),
		]),
		size: jsonSize,
		view: 'JSON',
		branch: 'Error Branch',
		words: ['httpCode', 'Error Branch', 'form.pdf', 'Cogneris rejected'],
		picture: { name: 'error-output', height: 546 },
	},
	{
		title: 'A comparison of faces',
		made: faceWorkflow(),
		size: jsonSize,
		view: 'JSON',
		data: COMPARISON,
		words: ['matched', 'bestScore', 'matches'],
		picture: { name: 'match-faces', height: 630 },
	},
	{
		title: 'Rows of an invoice',
		made: workflow(
			'Invoices to Spreadsheet',
			// In both themes, with the same note.
			sending(INVOICE, { ...EXTRACT, output: 'rows', options: { processedBefore: 'process' } }),
		),
		size: { width: 2500, height: 760 },
		view: 'Table',
		words: ['5 items', '0004021', 'Copper pipe'],
		themes: THEMES,
		picture: { name: 'spreadsheet-rows', beside: INVOICE },
	},
	{
		title: 'A refusal',
		made: workflow('Refusal', sending('notes.txt', EXTRACT)),
		size: panelSize,
		words: { message: 'notes.txt', description: 'Ignore Unsupported Files' },
		themes: THEMES,
		picture: { name: 'refusal', height: 246 },
	},
	{
		title: 'A hint',
		made: workflow(
			'Hint',
			sending('{invoice-us.pdf,notes.txt}', {
				...EXTRACT,
				options: { ignoreUnsupportedFiles: true },
			}),
		),
		size: panelSize,
		words: ['skipped'],
	},
];

async function expectOutput(
	page: Page,
	server: Server,
	standIn: StandIn,
	{ made, size, view, branch, data, words, picture: taken }: Omit<Output, 'themes'>,
	theme: Theme,
): Promise<string> {
	const of = byTestId(page, 'output-panel');
	if (data !== undefined) await standIn.queueFaults([{ kind: 'answer', data }]);
	await page.setViewportSize(size);
	await openWorkflow(page, await server.addWorkflow(made));
	const notice = await runInEditor(page);
	await openNode(page, NODE);
	if (branch !== undefined) await of.getByText(branch).click();
	if (view !== undefined) await of.getByText(view, { exact: true }).click();
	if (Array.isArray(words)) await expectShown(of, ...words);
	else {
		await expectShown(byTestId(page, 'node-error-message'), words.message);
		await expectShown(byTestId(page, 'node-error-description'), words.description);
	}
	if (taken?.beside !== undefined) {
		const sheet = { file: join(documents, taken.beside), width: 500, height: 475 };
		await pictureBesideDocument(page, taken.name, sheet, { of, width: 690, theme });
	} else if (taken !== undefined)
		await picture(page, taken.name, { of, height: taken.height, theme });
	return `"${notice}"`;
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
