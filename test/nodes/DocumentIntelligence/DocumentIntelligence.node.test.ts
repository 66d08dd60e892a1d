import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { documentOperations } from '../../../nodes/DocumentIntelligence/operations/document';
import {
	opened,
	optionsFor,
	optionsShown,
	parametersOf,
	SEARCHED,
	shown,
	shownFor,
} from '../panel';

const { description } = new DocumentIntelligence();
const folder = join(__dirname, '..', '..', '..', 'nodes', 'DocumentIntelligence');

const FILES = ['inputSource', 'binaryPropertyName'];
const OF_FILES = ['fileNames', 'ignoreUnsupportedFiles', 'includeInputFile'];
const OF_DOCUMENTS = [...OF_FILES, 'processing', 'processedBefore'];
const OF_FIELDS = ['confidenceThreshold', 'includeFieldDetails', 'markedCopy', 'requiredFields'];
const OF_VALUES = ['dateOrder', 'decimalMark', 'textFields', 'values'];

/** What the panel of each operation shows at first: its parameters, its options and the choices of Output. */
const PANELS: Record<string, { parameters: string[]; options?: string[]; outputs?: string[] }> = {
	classify: {
		parameters: FILES,
		options: ['confidenceThreshold', 'filesPerRequest', ...OF_DOCUMENTS],
		outputs: ['fields', 'raw'],
	},
	crop: {
		parameters: FILES,
		options: ['downloadImages', ...OF_DOCUMENTS],
		outputs: ['fields', 'raw'],
	},
	zeroShot: {
		parameters: FILES,
		options: [...OF_FIELDS, ...OF_VALUES, ...OF_DOCUMENTS],
		outputs: ['fields', 'documentRows', 'rows', 'raw'],
	},
	extract: {
		parameters: [...FILES, 'templateId'],
		options: ['checks', 'complementaryPrompt', ...OF_FIELDS, ...OF_VALUES, ...OF_DOCUMENTS],
		outputs: ['fields', 'documentRows', 'rows', 'raw'],
	},
	faceMatch: {
		parameters: ['inputSource', 'selfieField', 'documentsField', 'matchWhen'],
		options: OF_FILES,
		outputs: ['fields', 'raw'],
	},
	split: { parameters: FILES, options: OF_DOCUMENTS, outputs: ['documents', 'fields', 'raw'] },
	cancel: { parameters: ['jobId'] },
	get: { parameters: ['jobId', 'simplify'] },
	getAll: { parameters: ['returnAll', 'limit', 'simplify', 'status'] },
	getResult: {
		parameters: ['jobId', 'waitForCompletion'],
		options: ['checks', 'downloadImages', ...OF_FIELDS, ...OF_VALUES],
		outputs: ['fields', 'rows', 'documentRows', 'raw'],
	},
	submit: {
		parameters: [...FILES, 'jobOperation', 'templateId'],
		options: [...OF_FILES, 'processedBefore'],
	},
	download: { parameters: ['reference'] },
	upload: { parameters: FILES, options: OF_FILES },
};

const names = (properties: Array<{ name: string }>) => properties.map(({ name }) => name).sort();

const valuesOf = (choices: INodeProperties['options'] = []) =>
	choices.map((choice) => (choice as INodePropertyOptions).value);

test.each(Object.entries(PANELS))(
	'the panel of %s shows its parameters, options and outputs, whose names workflows have stored, and nothing else',
	(operation, { parameters, options = [], outputs = [] }) => {
		const panel = shown(operation);
		const isOfDocument = documentOperations.some(({ value }) => value === operation);
		expect(names(panel)).toEqual(
			[
				...['resource', 'operation', 'options', ...parameters],
				...(outputs.length > 0 ? ['output'] : []),
				...(isOfDocument ? ['failureNotice'] : []),
			].sort(),
		);
		expect(names(optionsShown(operation))).toEqual(
			['includeInputFields', 'timeout', ...options].sort(),
		);
		const output = panel.find(({ name }) => name === 'output');
		expect(valuesOf(output?.options).sort()).toEqual([...outputs].sort());
		expect(output?.default).toBe(outputs[0]);
	},
);

test.each([
	['skip', true],
	['record', false],
])('with Files Processed Before at %s, the notice on billing is shown: %s', (choice, isShown) => {
	const panel = shown('extract', { options: { processedBefore: choice } });
	expect(names(panel).includes('failureNotice')).toBe(isShown);
});

test('defaults are what most users want, and a switch that is added is on', () => {
	const defaults: Record<string, object> = {
		extract: {
			resource: 'document',
			operation: 'extract',
			inputSource: 'binaryField',
			binaryPropertyName: '*',
			templateId: { mode: 'list', value: '' },
			output: 'fields',
			options: {},
		},
		faceMatch: { selfieField: 'selfie', documentsField: '*', matchWhen: 'every' },
		getResult: { jobId: '={{ $json.jobId }}' },
		download: { reference: '={{ $json.reference }}' },
		getAll: { returnAll: false, limit: 50, simplify: true, status: [] },
	};
	for (const [operation, expected] of Object.entries(defaults))
		expect(parametersOf(operation)).toMatchObject(expected);
	for (const operation of Object.keys(PANELS)) {
		const options = optionsShown(operation);
		for (const option of options.filter(({ type }) => type === 'boolean'))
			expect(option).toHaveProperty('default', true);
		expect(options.find(({ name }) => name === 'timeout')?.default).toBe(
			operation === 'split' ? 1800 : 300,
		);
	}
});

const STORED = ['complementaryPrompt', ...OF_FILES, 'processing'];

test.each<[string, INodeParameters, string[]]>([
	['extract', { inputSource: 'storedFile' }, STORED],
	['extract', { inputSource: 'fileUrl' }, []],
	['extract', { inputSource: '={{ $json.source }}' }, []],
	['extract', { output: 'raw' }, ['checks', ...OF_FIELDS, ...OF_VALUES]],
	['crop', { output: 'raw' }, ['downloadImages']],
	['extract', { options: { values: 'printed' } }, ['dateOrder', 'decimalMark', 'textFields']],
])('the options of %s that have no effect with %j are hidden', (operation, chosen, hidden) => {
	const left = names(optionsShown(operation, chosen));
	const missing = names(optionsShown(operation)).filter((name) => !left.includes(name));
	expect(missing).toEqual([...hidden].sort());
});

test.each([
	['rows', true],
	['documentRows', false],
])('Rows From is offered for %s: %s', (output, isOffered) => {
	const offered = names(optionsShown('extract', { output }));
	expect(offered.includes('rowsFrom')).toBe(isOffered);
});

describe('As the tool of an AI agent', () => {
	/** What n8n derives the tool from, as far as conditions look at it; the examples with an agent use the real one. */
	const tool = { ...description, name: `${description.name}Tool` };

	test('the node is offered', () => expect(description.usableAsTool).toBe(true));

	test.each(['extract', 'faceMatch', 'upload'])('%s starts at File URL', (operation) => {
		const resource = operation === 'upload' ? 'storedFile' : 'document';
		const parameters = opened(tool, { resource, operation });
		expect(parameters).toMatchObject({ inputSource: 'fileUrl' });
		expect(Object.keys(parameters)).toContain(operation === 'faceMatch' ? 'selfieUrl' : 'fileUrl');
	});

	test('nothing is offered that passes files', () => {
		const values = opened(tool, { operation: 'extract' });
		const source = shownFor(tool, tool.properties, values).find(
			({ name }) => name === 'inputSource',
		);
		expect(valuesOf(source?.options)).toEqual(['fileUrl', 'storedFile']);
		const offered = names(optionsFor(tool, values));
		expect(offered).toContain('requiredFields');
		const ofFiles = [...OF_FILES, 'includeInputFields'];
		expect(offered.filter((name) => ofFiles.includes(name))).toEqual([]);
	});
});

test('the menu has each operation once, by name, under its resource', () => {
	const menus = description.properties.filter(({ name }) => name === 'operation');
	const values = menus.flatMap(({ options }) => valuesOf(options));
	expect(menus.map((menu) => [menu.displayOptions?.show?.resource, menu.default])).toEqual([
		[['document'], 'extract'],
		[['job'], 'submit'],
		[['storedFile'], 'upload'],
	]);
	expect(values).toEqual(Object.keys(PANELS));
	for (const { options = [] } of menus) {
		const labels = options.map(({ name }) => name);
		expect(labels).toEqual([...labels].sort());
	}
});

test.each([
	['DocumentIntelligence', description, SEARCHED],
	[
		'DocumentIntelligenceTrigger',
		new DocumentIntelligenceTrigger().description,
		[...SEARCHED, 'Document Trigger', 'Trigger Document'],
	],
])('the codex file of %s is its own', (file, { name, version }, searched) => {
	const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'));
	const published = read('../../package.json') as { name: string; homepage: string };
	const codex = read(`${file}.node.json`) as {
		categories: string[];
		alias: string[];
		resources: Record<string, Array<{ url: string }>>;
	};
	expect(codex).toMatchObject({
		node: `${published.name}.${name}`,
		nodeVersion: `${String(version)}.0`,
		codexVersion: '1.0',
	});
	expect(codex.categories.length).toBeGreaterThan(0);
	expect(new Set(codex.alias).size).toBe(codex.alias.length);
	expect(codex.alias).toEqual(expect.arrayContaining(searched));
	const links = Object.values(codex.resources).flat();
	expect(links.filter(({ url }) => !url.startsWith(published.homepage))).toEqual([]);
});
