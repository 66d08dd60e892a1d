import { generateNodeTypeFile } from '@n8n/workflow-sdk';
import type { IDataObject, INodeExecutionData, INodeTypeDescription } from 'n8n-workflow';

import rowsSchema from '../../../nodes/DocumentIntelligence/__schema__/v1.0.0/document/extract.output-rows.json';
import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { resources } from '../../../nodes/DocumentIntelligence/operations';
import { documentOperations } from '../../../nodes/DocumentIntelligence/operations/document';
import { typeText, type OutputSchema } from '../../../nodes/DocumentIntelligence/parameters/hints';
import { FILES_PROCESSED_BEFORE } from '../../../nodes/DocumentIntelligence/parameters/options';
import { allOf, shown } from '../panel';
import { itemWith } from '../samples';
import { useService } from '../service';

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

/** Those of the names that a text does not have as words. */
const missingIn = (text: string, names: string[]) =>
	names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));

const operations = resources.flatMap((resource) => resource.operations);

const service = useService();

/** The first items of a document, of which there are enough. */
async function itemsOf(sample: string, parameters: IDataObject, name = sample) {
	const { items } = await service.run(parameters, [await itemWith(sample, name)]);
	return items as [INodeExecutionData, INodeExecutionData];
}

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

test.each(operations)('$value has the names and types of its output', ({ value, outputSchema }) => {
	const [, output = ''] = / \* Output by default: (.*)/.exec(sectionOf(value)) ?? [];
	const names = Object.keys(outputSchema.properties ?? {});
	expect(names.length).toBeGreaterThan(1);
	expect(missingIn(output, names)).toEqual([]);
});

test('types are written as TypeScript has them', () => {
	const text = { type: 'string' };
	const schema = {
		type: 'object',
		properties: {
			a: text,
			b: { type: ['number', 'null'] },
			c: text,
			d: { type: 'array', items: { type: 'object', properties: { e: text } } },
			fields: { type: 'object', properties: {} },
		},
	};
	expect(typeText(schema)).toBe(
		'{ a, c: string; b: number | null; d: { e: string }[]; fields: object }',
	);
});

test('a link is not required, because the file can come from another source', () => {
	for (const name of ['fileUrl', 'selfieUrl', 'documentUrls'])
		expect(node.match(new RegExp(`\\b${name}\\??: `, 'g'))).toEqual(
			expect.not.arrayContaining([`${name}: `]),
		);
	// People who build a workflow are still told that it is missing.
	const link = shown('extract', { inputSource: 'fileUrl' }).filter(
		({ name }) => name === 'fileUrl',
	);
	expect(link).toEqual([expect.objectContaining({ required: true })]);
});

test('each choice is described: of Output, of Files Processed Before, and of the operations of jobs', () => {
	for (const { value, outputs = [] } of operations)
		for (const choice of outputs)
			expect(sectionOf(value)).toContain(`'${choice.value}': ${choice.description}`);
	for (const { value, description } of FILES_PROCESSED_BEFORE.options)
		expect(node.split(`'${value}': ${description}`)).toHaveLength(2);
	const names = documentOperations.flatMap(({ jobOperation }) => jobOperation ?? []);
	expect(names.length).toBeGreaterThan(4);
	expect(names.filter((name) => !trigger.includes(`'${name}'`))).toEqual([]);
});

test('the columns of Rows per Field are shown', async () => {
	const [{ json }] = await itemsOf('form.pdf', { operation: 'zeroShot', output: 'rows' });
	const { 1: names = '' } = /with the columns ([^.]*)\./.exec(sectionOf('zeroShot')) ?? [];
	expect(names.split(/, | and /)).toEqual(Object.keys(json).slice(1, 6));
});

test('the columns of line items are shown, without those of the template', async () => {
	const [, shown = ''] = / \* Output 'rows': (.*)/.exec(sectionOf('extract')) ?? [];
	const options = { includeFieldDetails: true };
	const parameters = { operation: 'extract', output: 'rows', options };
	const [{ json }] = await itemsOf('invoice-us.pdf', parameters);
	const names = Object.keys((rowsSchema as OutputSchema).properties ?? {});
	expect(names.filter((name) => !(name in json))).toEqual([]);
	expect(missingIn(shown, names)).toEqual([]);
	expect(Object.keys(json)).toEqual(expect.arrayContaining(['total', 'total_confidence']));
	expect(node).toContain('total_confidence');
});

test.each([
	['split', 'bundle.pdf', 'bundle-2-Invoice.pdf', 'bundle-2-Invoice.pdf'],
	['crop', 'two-cards.jpg', 'photo-2.png', 'photo.jpg'],
])('the name of a file from %s is shown', async (operation, sample, name, fileName) => {
	const from = sample.replace('two-cards', 'photo');
	const [, { json, binary }] = await itemsOf(sample, { operation }, from);
	expect([json.index, json.fileName, binary?.data?.fileName]).toEqual([1, fileName, name]);
	expect(sectionOf(operation)).toContain(name);
});

test('what options add has the types that the definition shows', async () => {
	const options = {
		confidenceThreshold: 100,
		requiredFields: 'supplier, neverThere',
		checks: 'total = subtotal + 1000',
		values: 'typed',
		textFields: '',
	};
	const [{ json }] = await itemsOf('invoice-us.pdf', { operation: 'extract', options });
	const shownTypes = sectionOf('extract').replaceAll('; row?: number', '');
	for (const name of ['lowConfidenceFields', 'missingFields', 'uncertainFields']) {
		expect(shownTypes).toContain(`${name}: string[]`);
		expect(json[name]).toContainEqual(expect.any(String));
	}
	const names = ['check', 'expected', 'actual', 'difference'];
	expect(Object.keys((json.failedChecks as object[])[0] ?? {})).toEqual(names);
	expect(shownTypes).toContain(
		'failedChecks: { check: string; expected, actual, difference: number | null }[]',
	);
});
