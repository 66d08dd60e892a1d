import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { byTestId, closeNode, openNode, openWorkflow } from '../n8n/editor';
import { installN8n } from '../n8n/install';
import type { N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import type { StandIn } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { picture } from './pictures';
import { documents, requestsFromNow } from './setting';
import { documentIntelligence, node, NODE_TYPE, readFiles, start, workflow } from './workflows';

/** What people and assistants see of the node before it has run. */

/** Search terms that find it first or second. */
export const NEAR_WORDS = [
	...['receipt', 'kyc', 'passport', 'contract', 'identity verification', 'document extraction'],
	...['bank statement', 'purchase order', 'expense', 'delivery note'],
];

interface Catalog {
	NodeTypeParser: new (types: object[]) => {
		searchNodeTypes(query: string, limit: number): Array<{ id: string }>;
	};
}

/** By the search of n8n's own assistant. */
export async function checkAssistantSearch(server: Server, version: N8nVersion): Promise<void> {
	const { folder } = await installN8n(version);
	const load = createRequire(join(folder, 'node_modules', 'n8n', 'package.json'));
	const { NodeTypeParser } = load('@n8n/ai-utilities/node-catalog') as Catalog;
	const parser = new NodeTypeParser(await server.nodeTypes());
	for (const word of NEAR_WORDS)
		await check(`Found by the assistant of n8n ${version} by "${word}"`, () => {
			const found = parser.searchNodeTypes(word, 5).map(({ id }) => id);
			const place = found.indexOf(NODE_TYPE) + 1;
			expect(place === 1 || place === 2, `at place ${place}: ${found.join(', ')}`);
			return `at place ${place}`;
		});
}

/** Some of the fields that n8n shows in the next node. */
const PREVIEWS = {
	split: { fields: ['documentType', 'firstPage', 'sourceFileName'], height: 390 },
	classify: { fields: ['documentType', 'confidence', 'templateId'], height: 294 },
};

/** The input panel of the next node, before anything has run. */
export async function checkPreviews(page: Page, server: Server, standIn: StandIn): Promise<void> {
	const panel = byTestId(page, 'ndv-input-panel');
	// Below the fields, a button of n8n covers a part of the panel.
	await page.setViewportSize({ width: 1440, height: 1300 });
	for (const [operation, { fields, height }] of Object.entries(PREVIEWS))
		await check(`The fields of ${operation} before the first run`, async () => {
			const requests = await requestsFromNow(standIn);
			const workflowId = await server.addWorkflow(
				workflow(`Preview of ${operation}`, [
					start(),
					readFiles(join(documents, 'bundle.pdf')),
					documentIntelligence({ operation }),
					node('Next', 'n8n-nodes-base.set', 3.4, { assignments: { assignments: [] } }),
				]),
			);
			await openWorkflow(page, workflowId);
			await openNode(page, 'Next');
			await panel.getByText('Usually outputs the following fields').waitFor();
			const shown = await panel.innerText();
			expect(
				fields.every((field) => shown.includes(field)),
				shown.slice(0, 1000),
			);
			expectEqual(await requests(), [], 'requests');
			await picture(page, `preview-${operation}`, { of: panel, height });
			await closeNode(page);
			return fields.join(', ');
		});
	await page.setViewportSize({ width: 1440, height: 900 });
}
