import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
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

describe.each(Object.entries(PANELS))(
	'The panel of %s, whose names workflows have stored,',
	(operation, { parameters, options = [], outputs = [] }) => {
		test('shows its parameters and nothing else', () => {
			const output = outputs.length > 0 ? ['output'] : [];
			const notice = documentOperations.some(({ value }) => value === operation)
				? ['failureNotice']
				: [];
			expect(names(shown(operation))).toEqual(
				['resource', 'operation', ...parameters, ...output, 'options', ...notice].sort(),
			);
		});

		test('offers its options', () => {
			expect(names(optionsShown(operation))).toEqual(
				['includeInputFields', 'timeout', ...options].sort(),
			);
		});

		test('has the first output as its default', () => {
			const output = shown(operation).find(({ name }) => name === 'output');
			const values = (output?.options ?? []).map(
				(option) => (option as INodePropertyOptions).value,
			);
			expect([...values].sort()).toEqual([...outputs].sort());
			expect(output?.default).toBe(outputs[0]);
		});
	},
);

test('defaults are what most users want, and a switch that is added is on', () => {
	expect(parametersOf('extract')).toMatchObject({
		resource: 'document',
		operation: 'extract',
		inputSource: 'binaryField',
		binaryPropertyName: '*',
		templateId: { mode: 'list', value: '' },
		output: 'fields',
		options: {},
	});
	expect(parametersOf('faceMatch')).toMatchObject({
		selfieField: 'selfie',
		documentsField: '*',
		matchWhen: 'every',
	});
	expect(parametersOf('getResult')).toMatchObject({ jobId: '={{ $json.jobId }}' });
	expect(parametersOf('download')).toMatchObject({ reference: '={{ $json.reference }}' });
	expect(parametersOf('getAll')).toMatchObject({
		returnAll: false,
		limit: 50,
		simplify: true,
		status: [],
	});
	for (const operation of Object.keys(PANELS)) {
		const options = optionsShown(operation);
		for (const option of options.filter(({ type }) => type === 'boolean'))
			expect(option).toHaveProperty('default', true);
		expect(options.find(({ name }) => name === 'timeout')?.default).toBe(
			operation === 'split' ? 1800 : 300,
		);
	}
});

describe('What has no effect is hidden', () => {
	const hiddenBy = (operation: string, chosen: INodeParameters) => {
		const left = names(optionsShown(operation, chosen));
		return names(optionsShown(operation)).filter((name) => !left.includes(name));
	};

	test('for a stored file: what is about a file that n8n has, and what jobs do not support', () => {
		expect(hiddenBy('extract', { inputSource: 'storedFile' })).toEqual([
			'complementaryPrompt',
			'fileNames',
			'ignoreUnsupportedFiles',
			'includeInputFile',
			'processing',
		]);
		expect(hiddenBy('extract', { inputSource: 'fileUrl' })).toEqual([]);
		expect(hiddenBy('extract', { inputSource: '={{ $json.source }}' })).toEqual([]);
	});

	test('for Raw: what is about fields, values and images', () => {
		expect(hiddenBy('extract', { output: 'raw' })).toEqual(
			['checks', ...OF_FIELDS, ...OF_VALUES].sort(),
		);
		expect(hiddenBy('crop', { output: 'raw' })).toEqual(['downloadImages']);
	});

	test('for values as printed: how to read them', () => {
		expect(hiddenBy('extract', { options: { values: 'printed' } })).toEqual([
			'dateOrder',
			'decimalMark',
			'textFields',
		]);
	});

	test('Rows From, unless rows are wanted', () => {
		expect(names(optionsShown('extract', { output: 'rows' }))).toContain('rowsFrom');
		expect(names(optionsShown('extract', { output: 'documentRows' }))).not.toContain('rowsFrom');
	});
});

describe('As the tool of an AI agent', () => {
	/** What n8n derives the tool from, as far as conditions look at it; the examples with an agent use the real one. */
	const tool = { ...description, name: `${description.name}Tool` };

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
		expect((source?.options ?? []).map((option) => (option as INodePropertyOptions).value)).toEqual(
			['fileUrl', 'storedFile'],
		);
		const offered = names(optionsFor(tool, values));
		expect(offered).toContain('requiredFields');
		for (const name of [
			'fileNames',
			'ignoreUnsupportedFiles',
			'includeInputFile',
			'includeInputFields',
		])
			expect(offered).not.toContain(name);
	});
});

test('the menu has each operation once, by name, under its resource', () => {
	const menus = description.properties.filter(({ name }) => name === 'operation');
	const entries = menus.map(({ options = [] }) => options as INodePropertyOptions[]);
	expect(menus.map((menu) => [menu.displayOptions?.show?.resource, menu.default])).toEqual([
		[['document'], 'extract'],
		[['job'], 'submit'],
		[['storedFile'], 'upload'],
	]);
	expect(entries.flat().map(({ value }) => value)).toEqual(Object.keys(PANELS));
	for (const own of entries) {
		const labels = own.map(({ name }) => name);
		expect(labels).toEqual([...labels].sort());
	}
});

const packageJson = JSON.parse(readFileSync(join(folder, '..', '..', 'package.json'), 'utf8')) as {
	name: string;
	homepage: string;
};
const codex = JSON.parse(readFileSync(join(folder, 'DocumentIntelligence.node.json'), 'utf8')) as {
	node: string;
	nodeVersion: string;
	codexVersion: string;
	categories: string[];
	alias: string[];
	resources: Record<string, Array<{ url: string }>>;
};

test('the codex file is this node’s', () => {
	expect(codex).toMatchObject({
		node: `${packageJson.name}.${description.name}`,
		nodeVersion: `${String(description.version)}.0`,
		codexVersion: '1.0',
	});
	expect(codex.categories.length).toBeGreaterThan(0);
	expect(new Set(codex.alias).size).toBe(codex.alias.length);
	expect(codex.alias).toEqual(expect.arrayContaining(SEARCHED));
	for (const { url } of Object.values(codex.resources).flat())
		expect(url.startsWith(packageJson.homepage)).toBe(true);
});

test('the options of Match Faces speak of its own parameters, and of what is a document', () => {
	const described = (name: string) =>
		optionsShown('faceMatch').find((option) => option.name === name)?.description;
	expect(described('ignoreUnsupportedFiles')).not.toContain('Input Binary Field');
	expect(described('ignoreUnsupportedFiles')).toContain('a document that has not matched');
	expect(described('fileNames')).toContain('A file that does not match them is no document.');
});
