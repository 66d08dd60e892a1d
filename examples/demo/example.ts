import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Workflow } from '../../test/n8n/host';

export const documents = join(__dirname, '..', 'documents');

/** The example as it can be imported anywhere, with the two paths of this machine. */
export async function exampleWorkflow(spreadsheet: string): Promise<Workflow> {
	const path = join(__dirname, '..', 'invoices-to-spreadsheet.json');
	const workflow = JSON.parse(await readFile(path, 'utf8')) as Workflow;
	// A file pattern separates folders by slashes on every system.
	const pattern = join(documents, 'invoice-*.pdf').replaceAll('\\', '/');
	parametersOf(workflow, 'Read Invoices').fileSelector = pattern;
	parametersOf(workflow, 'Write Spreadsheet').fileName = spreadsheet;
	return workflow;
}

function parametersOf(workflow: Workflow, name: string): Record<string, unknown> {
	const node = workflow.nodes.find((candidate) => candidate.name === name);
	if (node === undefined) throw new Error(`the example workflow has no node "${name}"`);
	return node.parameters;
}
