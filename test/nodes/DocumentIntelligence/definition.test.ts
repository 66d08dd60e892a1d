import { generateNodeTypeFile } from '@n8n/workflow-sdk';
import type { INodeTypeDescription } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { resources } from '../../../nodes/DocumentIntelligence/operations';
import { allOf, shown } from '../panel';

// What n8n's assistant and its MCP server know of the node: a definition that n8n generates out of its description.

type Described = Parameters<typeof generateNodeTypeFile>[0];

function definitionOf({ description }: { description: INodeTypeDescription }): string {
	const name = `n8n-nodes-document-intelligence.${description.name}`;
	return generateNodeTypeFile({ ...description, name } as Described);
}

const node = definitionOf(new DocumentIntelligence());
const trigger = definitionOf(new DocumentIntelligenceTrigger());

/** The part of the definition that is about an operation. */
function sectionOf(operation: string): string {
	const [, ...sections] = node.split('export type ');
	const section = sections.find((text) => text.includes(`operation: '${operation}';`));
	if (section === undefined) throw new Error(`The definition has no ${operation}.`);
	return section;
}

const operations = resources.flatMap((resource) => resource.operations);

test('an assistant has room for the whole definition', () => {
	expect(node.length).toBeLessThan(50_000);
	expect(trigger.length).toBeLessThan(6_000);
});

test.each(operations)('$value has its own options in the definition and no others', ({ value }) => {
	const [, block = ''] = /^ +options\?: \{\n([^]*?)^ {2}\};/m.exec(sectionOf(value)) ?? [];
	const named = [...block.matchAll(/^ +(\w+)\?: /gm)].map(([, name]) => name);
	const collection = shown(value).filter(({ name }) => name === 'options');
	const options = allOf(collection).filter(({ name }) => name !== 'options');
	expect(named.sort()).toEqual(options.map(({ name }) => name).sort());
	expect(named.length).toBeGreaterThan(1);
});
