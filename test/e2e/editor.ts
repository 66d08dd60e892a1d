import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import {
	byTestId,
	closeNode,
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
import { documentOperations as allOperations } from '../../nodes/DocumentIntelligence/operations/documentOperations';
import { resources } from '../../nodes/DocumentIntelligence/operations';
import { optionsShown, shown } from '../nodes/panel';
import { accountTemplates } from '../stand-in/processing/templates';
import type { StandIn } from '../stand-in/startStandIn';
import { check, expect, expectEqual, Missing } from './checks';
import { picture, type Theme } from './pictures';
import {
	addCredential,
	documents,
	fresh,
	newKey,
	repository,
	withHost,
	type Setting,
} from './setting';
import { triggerInEditor } from './triggerEditor';
import {
	documentIntelligence,
	node,
	NODE,
	readFiles,
	readSorted,
	start,
	workflow,
} from './workflows';

/** What a user sees and does, in a browser. The same run takes the pictures of the README. */
export async function editor(setting: Setting): Promise<void> {
	await withEditor(setting, latestN8n, async (page, workflows, server) => {
		// First, while the editor is light and nothing has been changed in it that n8n might save.
		await canvases(page, workflows.examples);
		await nodesPanel(page, workflows.rows, latestN8n);
		await triggerInEditor(page, server, setting, latestN8n);
		await credential(page, setting.standIn);
		await operations(page, workflows.forms);
		await template(page, setting.standIn, workflows.template, latestN8n);
		await documentsOfBundle(page, workflows);
		for (const theme of ['light', 'dark'] as const) await output(page, workflows, theme);
	});
	// Another generation of n8n chooses by other rules what its panel shows; the rest of the node is the same there.
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
		const opened = await openEditor(server).catch((error: Error) => {
			throw error.message.includes('no Chromium') ? new Missing(error.message) : error;
		});
		try {
			await work(opened.page, await addWorkflows(server), server);
		} finally {
			await opened.close();
		}
	});
}

/** The example workflows, by the names of their files. */
async function addExamples(server: Server): Promise<Array<{ name: string; id: string }>> {
	const folder = join(repository, 'examples');
	const names = (await readdir(folder))
		.filter((file) => file.endsWith('.json'))
		.map((file) => basename(file, '.json'));
	const added = [];
	for (const name of names.sort()) {
		const example = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Workflow;
		added.push({ name, id: await server.addWorkflow(example) });
	}
	return added;
}

/** How each example looks on the canvas, for its README. */
async function canvases(page: Page, examples: Array<{ name: string; id: string }>): Promise<void> {
	await check('Every example opens on the canvas', async () => {
		for (const { name, id } of examples) {
			await openWorkflow(page, id);
			const nodes = await byTestId(page, 'canvas-node').count();
			expect(nodes > 2, `${name} shows ${nodes} nodes`);
			await picture(page, `example-${name}`, { of: page.locator('.vue-flow').first() });
		}
		return `${examples.length} of them`;
	});
}

async function addWorkflows(server: Server) {
	const extract = { operation: 'extract' };
	const rows = (options: IDataObject) =>
		workflow('Invoices to Spreadsheet', [
			start(),
			...readSorted(join(documents, 'invoice-u*.pdf')),
			documentIntelligence({ ...extract, output: 'rows', options }),
		]);
	return {
		examples: await addExamples(server),
		// Without the option, the dates of one invoice could be read in two ways, which the picture would warn of.
		rows: await server.addWorkflow(rows({ dateOrder: 'monthFirst' })),
		// n8n saves by itself what is chosen in a form, so the forms have a workflow of their own.
		forms: await server.addWorkflow(rows({})),
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
		refusal: await server.addWorkflow(
			workflow('Refusal', [
				start(),
				readFiles(join(documents, 'notes.txt')),
				documentIntelligence(extract),
			]),
		),
		// As in a mail: a document and something else in one item.
		hint: await server.addWorkflow(
			workflow(
				'Hint',
				[
					start(),
					readFiles(join(documents, 'invoice-us.pdf'), 'attachment_0', 'Read Invoice'),
					readFiles(join(documents, 'notes.txt'), 'attachment_1', 'Read Notes'),
					node('Together', 'n8n-nodes-base.merge', 3, {
						mode: 'combine',
						combineBy: 'combineByPosition',
						options: {},
					}),
					documentIntelligence({
						...extract,
						binaryPropertyName: '*',
						options: { ignoreUnsupportedFiles: true },
					}),
				],
				[
					['Start', 'Read Invoice'],
					['Start', 'Read Notes'],
					['Read Invoice', 'Together'],
					['Read Notes', 'Together', 0, 1],
					['Together', NODE],
				],
			),
		),
	};
}

/** Words by which no other node is looked for. */
const OWN_WORDS = ['OCR', 'invoice', 'invoices', 'passport', 'receipt', 'id card', 'bookkeeping'];

/** What people type who look for a node like this one. */
const SEARCHED = [
	...OWN_WORDS,
	...['pdf', 'extract', 'read', 'split', 'submit', 'attachment', 'form', 'contract'],
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
			expect(
				place > 0 && (!isOwn || place <= 3),
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

/** What n8n says to a key and an address, and the words that have to be among it. */
async function credential(page: Page, standIn: StandIn): Promise<void> {
	const tests = [
		{
			name: 'a good key',
			apiKey: newKey(),
			address: standIn.url,
			words: /Connection tested successfully/,
		},
		{
			name: 'a revoked key',
			apiKey: standIn.keys.revoked,
			address: standIn.url,
			words: /rejected the API key/,
		},
		{
			name: 'a sandbox key',
			apiKey: standIn.keys.sandbox,
			address: standIn.url,
			words: /Connection tested successfully/,
		},
		{
			name: 'a wrong address',
			apiKey: newKey(),
			address: `${standIn.url}/elsewhere`,
			words: /it is not Cogneris/,
		},
		{
			name: 'an address where nobody answers',
			apiKey: newKey(),
			address: 'http://127.0.0.1:9',
			words: /refused|reach|connect/i,
		},
	];
	for (const { name, apiKey, address, words } of tests) {
		await check(`The credential's test with ${name}`, async () => {
			const dialog = await openNewCredential(page, 'Document Intelligence API');
			await parameter(page, 'apiKey').locator('input').fill(apiKey);
			await choose(page, 'region', 'Custom Address');
			await parameter(page, 'baseUrl').locator('input').fill(address);
			await byTestId(page, 'credential-save-button').click();
			const banner = dialog
				.getByText(/Connection tested successfully|Couldn.t connect/)
				.filter({ visible: true })
				.first();
			await banner.waitFor();
			const more = dialog.getByText('More details').filter({ visible: true });
			if ((await more.count()) > 0) await more.first().click();
			const said = (await dialog.innerText()).replace(/\s+/g, ' ');
			expect(words.test(said), `it says: ${said.slice(0, 400)}`);
			if (name === 'a good key') {
				await withoutNotices(page);
				// As most readers have it; the address of the stand-in is of no use to them.
				await choose(page, 'region', 'United States');
				await picture(page, 'credential', { of: dialog, height: 600 });
			}
			return (
				/(Couldn.t connect.*?(?= API Key)|Connection tested successfully)/.exec(said)?.[1] ??
				said.slice(0, 200)
			);
		});
	}
}

/** With the credential chosen and the output as the workflow has it. */
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
		const seen = (await byTestId(tab, 'input-label').filter({ visible: true }).allInnerTexts())
			.map((text) => text.trim().split('\n')[0] ?? '')
			.filter((text) => text !== '');
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
		// A dropdown left open, or a dialog closed by mistake, is not to spoil the next operation.
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
		const before = (await standIn.requests()).length;
		const requested = async (wanted: string) =>
			(await standIn.requests()).slice(before).filter(({ step }) => step === wanted);
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

		// n8n asks for the node again, so that it shows what is kept.
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

async function output(page: Page, workflows: Workflows, theme: Theme): Promise<void> {
	await page.emulateMedia({ colorScheme: theme });
	const panel = byTestId(page, 'output-panel');

	await check(`The output panel, ${theme} theme`, async () => {
		await page.setViewportSize({ width: 2500, height: 760 });
		await openWorkflow(page, workflows.rows);
		const words = await runInEditor(page);
		await openNode(page, NODE);
		await byTestId(page, 'ndv-items-count').filter({ visible: true }).last().waitFor();
		const shown = await panel.innerText();
		expect(
			['9 items', 'INV-2026-0117', 'Oak reading table'].every((words) => shown.includes(words)),
			shown.slice(0, 400),
		);
		expectEqual(await background(panel), theme, 'the theme');
		// To the columns that make a row a row.
		await panel
			.locator('th')
			.filter({ hasText: 'supplierName' })
			.evaluate((column) => {
				(column as unknown as { scrollIntoView: (options: object) => void }).scrollIntoView({
					inline: 'start',
				});
			});
		await picture(page, 'spreadsheet-rows', { of: panel, theme });
		return `"${words}", 9 items as a table`;
	});
	await page.setViewportSize({ width: 1440, height: 900 });

	await check(`A refusal, ${theme} theme`, async () => {
		await openWorkflow(page, workflows.refusal);
		await runInEditor(page);
		await openNode(page, NODE);
		const message = await byTestId(page, 'node-error-message').innerText();
		const description = await byTestId(page, 'node-error-description').innerText();
		expect(message.includes('notes.txt'), message);
		expect(description.includes('Ignore Unsupported Files'), description);
		await picture(page, 'refusal', { of: panel, height: 246, theme });
		return `${message} / ${description}`;
	});

	await check(`A hint, ${theme} theme`, async () => {
		await openWorkflow(page, workflows.hint);
		await runInEditor(page);
		await openNode(page, NODE);
		const hint = panel.getByText('skipped');
		await hint.waitFor({ timeout: 10_000 });
		return (await hint.innerText()).trim();
	});
}

/** What Split hands on, for the README. */
async function documentsOfBundle(page: Page, workflows: Workflows): Promise<void> {
	const panel = byTestId(page, 'output-panel');
	await check('The documents of a bundle', async () => {
		await page.setViewportSize({ width: 2000, height: 520 });
		await openWorkflow(page, workflows.split);
		await runInEditor(page);
		await openNode(page, NODE);
		await byTestId(page, 'ndv-items-count').filter({ visible: true }).last().waitFor();
		// n8n shows the files first.
		await panel.getByText('Table', { exact: true }).click();
		await panel.locator('th').first().waitFor();
		const shown = await panel.innerText();
		expect(
			['5 items', 'bundle-1-Invoice.pdf', 'bundle-5-'].every((words) => shown.includes(words)),
			shown.slice(0, 600),
		);
		await picture(page, 'split-documents', { of: panel });
		return '5 items as a table';
	});
	await page.setViewportSize({ width: 1440, height: 900 });
}

/** Picks an entry of a list parameter. */
async function choose(page: Page, name: string, entry: string): Promise<void> {
	await parameter(page, name).click();
	// An entry is its name and, below it, its description.
	const item = byTestId(page, 'parameter-input-item').filter({
		visible: true,
		hasText: new RegExp(`^\\s*${entry}`),
	});
	await item.first().click();
	await item.first().waitFor({ state: 'hidden' });
}

/** n8n's notices lie over whatever a picture is to show. */
async function withoutNotices(page: Page): Promise<void> {
	for (const cross of await page.locator('.el-notification__closeBtn').all())
		await cross.click().catch(() => undefined);
	await page
		.locator('.el-notification')
		.first()
		.waitFor({ state: 'detached' })
		.catch(() => undefined);
}

/** As much as is needed of an element of the page. */
interface Shown {
	parentElement: Shown | null;
}

/** By the colour of what lies behind the panel's texts. */
async function background(panel: Locator): Promise<Theme> {
	const color = await panel.evaluate((element: Shown) => {
		const { getComputedStyle } = globalThis as unknown as {
			getComputedStyle: (of: Shown) => { backgroundColor: string };
		};
		let one: Shown | null = element;
		while (one !== null && /, 0\)$|\/ 0\)$|transparent/.test(getComputedStyle(one).backgroundColor))
			one = one.parentElement;
		return one === null ? 'rgb(255, 255, 255)' : getComputedStyle(one).backgroundColor;
	});
	const [first = 255] = (color.match(/[\d.]+/g) ?? []).map(Number);
	// From 0 to 255 in rgb(), from 0 to 1 in every newer way to write a colour.
	return (color.startsWith('rgb') ? first / 255 : first) > 0.5 ? 'light' : 'dark';
}
