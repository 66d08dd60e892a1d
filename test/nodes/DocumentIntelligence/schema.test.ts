import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { resources } from '../../../nodes/DocumentIntelligence/operations';
import type { OutputSchema } from '../../../nodes/DocumentIntelligence/parameters/hints';
import { PolledNode } from '../../n8n-core/polledNode';
import { samplePath } from '../../stand-in/useStandIn';
import { fastLimiters } from '../clock';
import { goOn, useJobs } from '../service';
import { schemaOf } from '../outputSchema';
import { fieldsOf, putOnPage, tablesOnPage } from '../outputsPage';
import { filesIn, itemsWith } from '../samples';

// n8n shows the fields of a node before it has run, from a schema next to the node for each of its operations. The
// schemas are what the outputs of these runs have, with all parameters but those named here at their defaults.
// npm run schemas writes them, and the tables of docs/outputs.md.

const { version } = new DocumentIntelligence().description;
const nodeFolder = join(__dirname, '..', '..', '..', 'nodes', 'DocumentIntelligence');
const folder = join(nodeFolder, '__schema__', `v${String(version)}.0.0`);

const { service, run, job, storedFile } = useJobs();

const document = async (operation: string, names: string[], parameters: IDataObject = {}) =>
	(await run({ operation, ...parameters }, await itemsWith(...names), goOn)).items;

const submitted = async (name = 'invoice-us.pdf') =>
	(await job('submit', await itemsWith(name))).items;

/** Jobs in each of their states. */
async function jobs(operation: string): Promise<INodeExecutionData[]> {
	const ended = [...(await submitted()), ...(await submitted('receipt.jpg'))];
	await service.standIn.configure({ jobQueueMs: 600_000 });
	const all = [...ended, ...(await submitted())];
	return (await job(operation, operation === 'getAll' ? undefined : all)).items;
}

const INVOICES = ['invoice-us.pdf', 'invoice-de.pdf', 'contract.pdf'];

/** With the values that the contract allows to be null. */
const CLASSIFIED = { documentType: 'Invoice', confidence: 97, pages: null, templateId: null };
const CROPPED = { type: 'Card', side: 'Front', confidence: null, box2D: [1, 2, 3, 4] };

async function answered(operation: string, data: IDataObject): Promise<INodeExecutionData[]> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	return await document(operation, ['invoice-us.pdf']);
}

/** With and without a screening for fraud, whose ID an extraction has. */
async function extracted(parameters: IDataObject = {}): Promise<INodeExecutionData[]> {
	const plain = await document('extract', INVOICES, parameters);
	await service.standIn.configure({ fraudScreening: true });
	return [...plain, ...(await document('extract', INVOICES, parameters))];
}

/** What each operation outputs, by the file of its schema. */
const OUTPUTS: Record<string, () => Promise<INodeExecutionData[]>> = {
	'document/classify': async () => [
		...(await document('classify', INVOICES)),
		...(await answered('classify', { results: [CLASSIFIED] })),
	],
	'document/crop': async () => [
		...(await document('crop', ['two-cards.jpg', 'id-card.png'])),
		...(await answered('crop', { documents: [CROPPED] })),
	],
	'document/zeroShot': async () => await document('zeroShot', ['form.pdf', 'letter.docx']),
	'document/extract': async () => await extracted(),
	'document/extract.output-rows': async () => await extracted({ output: 'rows' }),
	'document/faceMatch': async () => {
		await service.standIn.configure({ faceCrops: true });
		const cards = ['id-card.png', 'receipt.jpg'].map(async (card) => ({
			json: {},
			binary: await filesIn({ selfie: 'portrait.png', card }),
		}));
		return (await run({ operation: 'faceMatch' }, await Promise.all(cards))).items;
	},
	'document/split': async () => await document('split', ['bundle.pdf']),
	'job/cancel': async () => {
		await service.standIn.configure({ jobQueueMs: 600_000 });
		return (await job('cancel', await submitted())).items;
	},
	'job/get': async () => await jobs('get'),
	'job/getAll': async () => await jobs('getAll'),
	'job/getResult': async () => {
		await service.standIn.configure({ fraudScreening: true });
		const named = await submitted();
		await service.standIn.configure({ fraudScreening: false });
		const [other] = await submitted('contract.pdf');
		const unnamed = { json: { jobId: other?.json.jobId } };
		return (await job('getResult', [...named, unnamed])).items;
	},
	'job/submit': async () => await submitted(),
	'storedFile/download': async () => {
		const { items } = await storedFile('upload', await itemsWith('invoice-us.pdf'));
		return (await storedFile('download', items)).items;
	},
	'storedFile/upload': async () =>
		(await storedFile('upload', await itemsWith('invoice-us.pdf'))).items,
};

/** What the stand-in adds to its answers, although the contract does not have it. */
const NOT_IN_CONTRACT: Record<string, string[]> = { 'document/split': ['confidence'] };

/** Names of fields at any depth, of which rows make columns. */
function namesIn(fields: unknown): string[] {
	if (Array.isArray(fields)) return fields.flatMap(namesIn);
	if (typeof fields !== 'object' || fields === null) return [];
	return Object.entries(fields).flatMap(([name, value]) => [name, ...namesIn(value)]);
}

/** Without the fields of a template, which are different in every account. */
async function promised(name: string, items: INodeExecutionData[]): Promise<IDataObject[]> {
	const simplified = name.endsWith('rows') ? await document('extract', INVOICES) : [];
	const ofTemplate = simplified.flatMap(({ json }) => namesIn(json.fields));
	const isPromised = (column: string) =>
		NOT_IN_CONTRACT[name]?.includes(column) !== true &&
		!ofTemplate.some((field) => column === field || column.endsWith(`_${field}`));
	return items
		.filter(({ json }) => !('error' in json))
		.map(({ json }) =>
			Object.fromEntries(
				Object.entries(json)
					.filter(([column]) => isPromised(column))
					.map(([column, value]) => [column, column === 'fields' ? {} : value]),
			),
		);
}

const isWriting = process.env.UPDATE_DOCS === '1';

test.each(Object.keys(OUTPUTS))('%s is what the operation outputs', async (name) => {
	const items = (await OUTPUTS[name]?.()) ?? [];
	const outputs = await promised(name, items);
	expect(outputs.length).toBeGreaterThan(0);
	const schema = { ...schemaOf(outputs), version: 1 };
	const file = join(folder, `${name}.json`);
	if (isWriting) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
	}
	expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
});

test('there is a schema for each operation where n8n looks for it, and no other', () => {
	const found = resources.flatMap(({ value: resource, operations }) =>
		operations.map(({ value: operation }) =>
			resolveOutputSchemaPath({ nodeDir: nodeFolder, version: 1, resource, operation }),
		),
	);
	const written = Object.keys(OUTPUTS).map((name) => join(folder, `${name}.json`));
	const rows = join(folder, 'document', 'extract.output-rows.json');
	expect([...found, rows].sort()).toEqual(written.sort());
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const schemas = files.filter((name) => name.endsWith('.json'));
	expect(schemas.map((name) => join(folder, name)).sort()).toEqual(written);
});

const readSchema = (name: string) =>
	JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as OutputSchema;

/** What the trigger's items have besides the output of Get Result. */
async function ofTrigger(): Promise<OutputSchema> {
	const { credential, standIn } = service;
	const node = new PolledNode({ credential, limiters: fastLimiters(20) });
	await node.activate();
	await standIn.configure({ clockSkewMs: 10_000 });
	await standIn.addJobs(credential.apiKey, [
		{ operation: 'Extraction', file: samplePath('invoice-us.pdf') },
		{ operation: 'Extraction', status: 'Failed', failureCode: 'input_unreadable' },
	]);
	await node.tick();
	const { properties: ofResult = {} } = readSchema('job/getResult');
	const known = node.items.map((item) =>
		Object.fromEntries(
			Object.entries(item).filter(([name]) => !(name in ofResult) && name !== 'error'),
		),
	);
	return schemaOf(known);
}

describe('The page on outputs', () => {
	const tables = [...tablesOnPage().keys()];

	test('has a table for each schema and the trigger', () => {
		const shown = tables.flatMap((names) => names.split(', '));
		expect(shown.sort()).toEqual([...Object.keys(OUTPUTS), 'trigger'].sort());
	});

	test.each(tables)('shows the names and types of %s, and what they mean', async (names) => {
		const schemas =
			names === 'trigger' ? [await ofTrigger()] : names.split(', ').map((name) => readSchema(name));
		if (isWriting && schemas[0] !== undefined) putOnPage(names, schemas[0]);
		const rows = tablesOnPage().get(names) ?? [];
		for (const schema of schemas)
			expect(rows.map(({ field, type }) => ({ field, type }))).toEqual(fieldsOf(schema));
		expect(rows.filter(({ meaning }) => meaning === '')).toEqual([]);
	});
});
