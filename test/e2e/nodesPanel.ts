import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { byTestId, closeNode, openWorkflow } from '../n8n/editor';
import { installN8n } from '../n8n/install';
import type { N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { resources } from '../../nodes/DocumentIntelligence/operations';
import { check, expect, expectEqual } from './checks';
import { NODE, NODE_TYPE, TRIGGER, start, workflow } from './workflows';

/** Search terms that find it first or second, also in the search of n8n's assistant. */
const NEAR_WORDS = [
	...['receipt', 'kyc', 'passport', 'contract', 'identity verification', 'document extraction'],
	...['bank statement', 'purchase order', 'expense', 'delivery note'],
];

/** What people who look for a node like this one search for, and the last place at which it may be. */
const SEARCHED: Array<[words: string[], lastPlace: number]> = [
	[NEAR_WORDS, 2],
	[['OCR', 'invoice', 'invoices', 'id card', 'bookkeeping'], 3],
	[['pdf', 'extract', 'read', 'split', 'submit', 'attachment', 'form'], Infinity],
];

/** n8n shows the node and its trigger as one entry, which the search terms of both find. */
const OF_TRIGGER: typeof SEARCHED = [[['OCR', 'document ready', 'job finished'], 3]];

/** How people find the node and its trigger in the nodes panel of an n8n. */
export async function nodesPanel(page: Page, server: Server, version: N8nVersion): Promise<void> {
	const open = async (nodes: Parameters<typeof workflow>[1], button: string) => {
		const id = await server.addWorkflow(workflow('Empty', nodes));
		if (nodes.length > 0) await openWorkflow(page, id);
		else await page.goto(`/workflow/${id}`);
		await byTestId(page, button).click();
	};
	const actions = byTestId(page, 'node-creator').locator('[data-keyboard-nav-type="action"]');

	await check(`Found in the nodes panel of n8n ${version}, with its actions`, async () => {
		await open([start()], 'node-creator-plus-button');
		const found = await expectFound(page, SEARCHED);
		await entry(page).click();
		await actions.first().waitFor();
		const listed = (await actions.allInnerTexts()).map((action) => action.trim());
		const expected = resources.flatMap(({ operations }) => operations.map(({ action }) => action));
		expectEqual(listed.sort(), expected.sort(), 'actions');
		return `${found}; ${listed.length} actions`;
	});

	await check(`The trigger is found in the nodes panel of n8n ${version}`, async () => {
		await open([], 'canvas-plus-button');
		const found = await expectFound(page, OF_TRIGGER);
		await entry(page).click();
		await actions.filter({ hasText: 'On job failed' }).click();
		const panel = byTestId(page, 'ndv');
		await panel.waitFor();
		const chosen = await byTestId(panel, 'parameter-input-events').innerText();
		const seen = await panel.innerText();
		expect(seen.includes(TRIGGER), seen);
		expectEqual(chosen.trim(), 'Job Failed', 'Trigger On');
		await closeNode(page);
		return `${found}; "On job failed" adds ${TRIGGER} with Trigger On "${chosen.trim()}"`;
	});
}

const names = (page: Page) => byTestId(page, 'node-creator-item-name');
const entry = (page: Page) => names(page).filter({ hasText: NODE }).first();

/** Searches the open nodes panel. */
async function expectFound(page: Page, searched: typeof SEARCHED): Promise<string> {
	const places: string[] = [];
	const wrong: string[] = [];
	for (const [words, lastPlace] of searched)
		for (const word of words) {
			const bar = byTestId(page, 'node-creator-search-bar');
			// Without it in between, the results of the word before could be taken for its own.
			await bar.fill('no node has this name');
			await entry(page).waitFor({ state: 'detached' });
			await bar.fill(word);
			await entry(page)
				.waitFor({ timeout: 5000 })
				.catch(() => undefined);
			const all = (await names(page).allInnerTexts()).map((name) => name.trim());
			const place = all.indexOf(NODE) + 1;
			places.push(`"${word}" ${place}`);
			if (place === 0 || place > lastPlace) wrong.push(`"${word}": ${all.slice(0, 5).join(', ')}`);
		}
	expectEqual(wrong, [], 'search terms that do not find it in time');
	return `at the places ${places.join(', ')}`;
}

interface Catalog {
	NodeTypeParser: new (types: object[]) => {
		searchNodeTypes(query: string, limit: number): Array<{ id: string }>;
	};
}

/** The search of n8n's own assistant, which n8n 1 does not have. */
export async function assistantSearch(server: Server, version: N8nVersion): Promise<void> {
	await check(`Found by the assistant of n8n ${version}`, async () => {
		const { folder } = await installN8n(version);
		const load = createRequire(join(folder, 'node_modules', 'n8n', 'package.json'));
		const { NodeTypeParser } = load('@n8n/ai-utilities/node-catalog') as Catalog;
		const parser = new NodeTypeParser(await server.nodeTypes());
		for (const word of NEAR_WORDS) {
			const found = parser.searchNodeTypes(word, 5).map(({ id }) => id);
			const place = found.indexOf(NODE_TYPE) + 1;
			expect(place === 1 || place === 2, `"${word}" at place ${place}: ${found.join(', ')}`);
		}
		return `by ${NEAR_WORDS.length} search terms`;
	});
}
