import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	NodeHelpers,
	Workflow,
	type INodeParameters,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { operations } from '../../../nodes/DocumentIntelligence/operations/index';
import { labelOf, resources } from '../../../nodes/DocumentIntelligence/operations/resources';
import { nodeWith } from '../../n8n-core/node';
import { optionsShown, parametersOf, SEARCHED, shown } from '../panel';

const { description } = new DocumentIntelligence();
const folder = join(__dirname, '..', '..', '..', 'nodes', 'DocumentIntelligence');

const ALL = operations.map(({ value }) => value);
const WITHOUT_FACES = ALL.filter((operation) => operation !== 'faceMatch');
/** Those of the other resources. */
const OTHERS = ['cancel', 'get', 'getAll', 'getResult', 'submit', 'download', 'upload'];
const EVERY = [...ALL, ...OTHERS];
const WITH_FILES = [...ALL, 'submit', 'upload'];
const WITH_VALUES = ['extract', 'zeroShot', 'getResult'];

// Stored in workflows: a name that has been published stays, and stays where it is. An operation that has nothing of
// its own needs no line here; the test of the menu lists those that have been published.
const PARAMETERS: Record<string, string[]> = {
	resource: EVERY,
	operation: EVERY,
	inputSource: WITH_FILES,
	binaryPropertyName: [...WITHOUT_FACES, 'submit', 'upload'],
	fileUrl: [...WITHOUT_FACES, 'submit', 'upload'],
	reference: [...WITHOUT_FACES, 'submit', 'download'],
	jobId: ['cancel', 'get', 'getResult'],
	jobOperation: ['submit'],
	limit: ['getAll'],
	status: ['getAll'],
	waitForCompletion: ['getResult'],
	selfieField: ['faceMatch'],
	selfieUrl: ['faceMatch'],
	documentsField: ['faceMatch'],
	documentUrls: ['faceMatch'],
	matchWhen: ['faceMatch'],
	output: [...ALL, 'getResult'],
	options: EVERY,
	templateId: ['extract', 'submit'],
};
/** Those that another choice than the default's brings up. */
const CHOSEN: Record<string, INodeParameters> = {
	fileUrl: { inputSource: 'fileUrl' },
	selfieUrl: { inputSource: 'fileUrl' },
	documentUrls: { inputSource: 'fileUrl' },
	reference: { inputSource: 'storedFile' },
};
const OPTIONS: Record<string, string[]> = {
	complementaryPrompt: ['extract'],
	confidenceThreshold: ['classify', ...WITH_VALUES],
	dateOrder: WITH_VALUES,
	decimalMark: WITH_VALUES,
	downloadImages: ['crop', 'getResult'],
	filesPerRequest: ['classify'],
	ignoreUnsupportedFiles: WITH_FILES,
	includeFieldDetails: WITH_VALUES,
	includeInputFields: EVERY,
	includeInputFile: WITH_FILES,
	processing: ['classify', 'crop', 'extract', 'split', 'zeroShot'],
	requiredFields: WITH_VALUES,
	rowsFrom: ['extract', 'getResult'],
	skipProcessedFiles: ['classify', 'crop', 'extract', 'split', 'zeroShot'],
	textFields: WITH_VALUES,
	timeout: EVERY,
	values: WITH_VALUES,
};
const OPTIONS_OF_VALUES = ['dateOrder', 'decimalMark', 'textFields'];

function resourceOf(operation: string): (typeof resources)[number] {
	const found = resources.find((resource) =>
		resource.operations.some(({ value }) => value === operation),
	);
	if (found === undefined) throw new Error(`No resource has an operation "${operation}".`);
	return found;
}

describe.each(EVERY)('The parameters of %s', (operation) => {
	const ofThis = (lists: Record<string, string[]>) =>
		Object.entries(lists).flatMap(([name, operations]) =>
			operations.includes(operation) ? [name] : [],
		);

	test('are those of the design, each once', () => {
		const expected = ofThis(PARAMETERS);
		const atFirst = shown(operation).map(({ name }) => name);
		// Download has no other source.
		const isChosen = (name: string) => CHOSEN[name] !== undefined && operation !== 'download';
		expect(atFirst.sort()).toEqual(expected.filter((name) => !isChosen(name)).sort());
		for (const name of expected) {
			expect(shown(operation, CHOSEN[name]).map((property) => property.name)).toContain(name);
		}
		const known = description.properties.flatMap(({ name, type }) =>
			type === 'notice' ? [] : [name],
		);
		expect([...new Set(known)].sort()).toEqual(Object.keys(PARAMETERS).sort());
	});

	test('and its options, each once, in alphabetical order', () => {
		const usual = optionsShown(operation);
		const labels = usual.map(({ displayName }) => displayName);
		expect(labels).toEqual([...labels].sort());
		const names = usual.map(({ name }) => name);
		expect(names.sort()).toEqual(
			ofThis(OPTIONS)
				.filter((name) => name !== 'rowsFrom')
				.sort(),
		);
		const ofRows = optionsShown(operation, { output: 'rows' }).map(({ name }) => name);
		expect(ofRows.includes('rowsFrom')).toBe(OPTIONS.rowsFrom?.includes(operation));
	});

	test('have the defaults of the design', () => {
		const ofOne: Record<string, INodeParameters> = {
			faceMatch: { selfieField: 'selfie', documentsField: 'documents', matchWhen: 'every' },
			split: { output: 'documents' },
			getAll: { limit: 50, status: [] },
			getResult: { output: 'fields', waitForCompletion: true },
			submit: { jobOperation: 'extract' },
		};
		expect(parametersOf(operation)).toMatchObject({
			resource: resourceOf(operation).value,
			operation,
			options: {},
			...(ALL.includes(operation) ? { output: 'fields' } : {}),
			...(PARAMETERS.binaryPropertyName?.includes(operation) ? { binaryPropertyName: '*' } : {}),
			...ofOne[operation],
		});
		const defaults = Object.fromEntries(
			optionsShown(operation).map(({ name, default: value }) => [name, value]),
		);
		expect(defaults).toMatchObject({
			concurrency: 10,
			includeInputFields: false,
			...(WITH_FILES.includes(operation)
				? { ignoreUnsupportedFiles: false, includeInputFile: operation === 'classify' }
				: {}),
			timeout: operation === 'split' ? 1800 : 300,
		});
	});

	test('Output offers what the operation has', () => {
		const outputs = shown(operation).filter(({ name }) => name === 'output');
		if (!PARAMETERS.output?.includes(operation)) return;
		const values = (outputs[0]?.options ?? []).map(
			(option) => (option as INodePropertyOptions).value,
		);
		expect(values).toEqual(expect.arrayContaining(['fields', 'raw']));
		expect(
			values.filter(
				(value) =>
					![
						'fields',
						'raw',
						...(WITH_VALUES.includes(operation) ? ['documentRows', 'rows'] : []),
						...(operation === 'split' ? ['documents'] : []),
					].includes(String(value)),
			),
		).toEqual([]);
		const first = outputs[0]?.options?.[0] as INodePropertyOptions;
		expect(outputs[0]?.default).toBe(first.value);
		const names: Record<string, string> = {
			split: 'Documents',
		};
		expect(first.name).toBe(names[operation] ?? 'Simplified');
	});

	test('the subtitle on the canvas is its name', () => {
		const resource = resourceOf(operation);
		const node = nodeWith({ resource: resource.value, operation });
		const nodeTypes = {
			getByName: () => new DocumentIntelligence(),
			getByNameAndVersion: () => new DocumentIntelligence(),
			getKnownTypes: () => ({}),
		};
		const workflow = new Workflow({
			id: 'workflow',
			nodes: [node],
			connections: {},
			active: false,
			nodeTypes: nodeTypes,
		});
		expect(
			workflow.expression.getSimpleParameterValue(
				node,
				description.subtitle,
				'internal',
				{},
				undefined,
				'unresolved',
			),
		).toBe(
			labelOf(
				resource,
				resource.operations.find(({ value }) => value === operation)!,
			),
		);
	});
});

describe('What has no effect is hidden', () => {
	const names = (properties: Array<{ name: string }>) => properties.map(({ name }) => name);
	const hiddenBy = (operation: string, chosen: INodeParameters, usual: INodeParameters = {}) => {
		const left = names(optionsShown(operation, { ...usual, ...chosen }));
		return names(optionsShown(operation, usual)).filter((name) => !left.includes(name));
	};

	test('Additional Instructions where the file is stored, as it is always a job', () => {
		const instructions = (inputSource: string) =>
			names(optionsShown('extract', { inputSource })).includes('complementaryPrompt');
		expect(instructions('binaryField')).toBe(true);
		expect(instructions('fileUrl')).toBe(true);
		expect(instructions('storedFile')).toBe(false);
		expect(instructions('={{ $json.source }}')).toBe(true);
	});

	test.each([
		['classify', ['filesPerRequest', 'ignoreUnsupportedFiles', 'includeInputFile', 'processing']],
		['crop', ['ignoreUnsupportedFiles', 'includeInputFile', 'processing']],
		[
			'extract',
			['complementaryPrompt', 'ignoreUnsupportedFiles', 'includeInputFile', 'processing'],
		],
		['split', ['ignoreUnsupportedFiles', 'includeInputFile', 'processing']],
		['zeroShot', ['ignoreUnsupportedFiles', 'includeInputFile', 'processing']],
		['submit', ['ignoreUnsupportedFiles', 'includeInputFile']],
	])('the options of %s about a file that n8n sends, where it is stored', (operation, expected) => {
		expect(hiddenBy(operation, { inputSource: 'storedFile' }).sort()).toEqual(expected);
		expect(hiddenBy(operation, { inputSource: 'fileUrl' })).toEqual([]);
	});

	test.each([
		['classify', ['confidenceThreshold']],
		['crop', ['downloadImages']],
		['extract', ['confidenceThreshold', 'includeFieldDetails', 'requiredFields', 'values']],
		['faceMatch', []],
		[
			'getResult',
			['confidenceThreshold', 'downloadImages', 'includeFieldDetails', 'requiredFields', 'values'],
		],
		['split', []],
		['zeroShot', ['confidenceThreshold', 'includeFieldDetails', 'requiredFields', 'values']],
	])('the options of %s about items, where Output is Full Result', (operation, expected) => {
		const hidden = hiddenBy(operation, { output: 'raw' });
		expect(hidden.filter((name) => !OPTIONS_OF_VALUES.includes(name)).sort()).toEqual(expected);
		const printed = hiddenBy(operation, { options: { values: 'printed' } });
		expect(printed).toEqual(hidden.filter((name) => OPTIONS_OF_VALUES.includes(name)));
	});

	test.each([
		['zeroShot', ['includeFieldDetails']],
		['extract', []],
		['getResult', []],
	])('Include Field Details of %s, where rows have them anyway: %j', (operation, expected) => {
		expect(hiddenBy(operation, { output: 'rows' })).toEqual(expected);
		expect(hiddenBy(operation, { output: 'documentRows' })).toEqual([]);
	});
});

describe('Descriptions', () => {
	const described = (operation: string, name: string) =>
		[...shown(operation), ...optionsShown(operation)].find((property) => property.name === name)
			?.description;

	test.each(EVERY)(
		'Timeout of %s speaks of uploads and jobs only where there are some',
		(value) => {
			const brief = ['cancel', 'get', 'getAll', 'download'].includes(value);
			const description = described(value, 'timeout');
			if (brief) expect(description).toBe('How long to wait for the response to one request');
			else expect(description).toMatch(/upload.*job.*link/);
		},
	);

	test('Wait for Completion names the option that ends the wait', () => {
		expect(described('getResult', 'waitForCompletion')).toContain(
			'up to the option Timeout (Seconds).',
		);
	});

	test.each(WITH_VALUES)(
		'names of fields in %s are those of an output that it has',
		(operation) => {
			for (const name of ['requiredFields', 'textFields'])
				expect(described(operation, name)).toContain('as the Simplified output shows them');
		},
	);

	test('what a job is not for, and what is always one', () => {
		expect(described('extract', 'complementaryPrompt')).toContain(
			'Not available with a chosen template, a stored file, or Processing set to As a Job.',
		);
		expect(described('extract', 'processing')).toMatch(
			/chosen template or a stored file is always processed as a job\.$/,
		);
		expect(described('extract', 'skipProcessedFiles')).toContain(
			'with the same operation, template and instructions.',
		);
	});

	test('Split says what a stored file gives, and a link is downloaded', () => {
		const choice = (operation: string, parameter: string, wanted: string) => {
			const property = shown(operation).find(({ name }) => name === parameter);
			const choices = (property?.options ?? []) as INodePropertyOptions[];
			return choices.find(({ value }) => value === wanted)?.description;
		};
		expect(choice('split', 'output', 'documents')).toMatch(/stored file.*page ranges only/);
		expect(choice('extract', 'inputSource', 'fileUrl')).toBe('Download the file from a link');
	});
});

describe('As a tool of an AI agent', () => {
	/** What n8n derives the tool from, as far as conditions look at it; test/e2e/tool.ts has the real ones. */
	const tool = { ...description, name: `${description.name}Tool` };
	const asTool = (values: INodeParameters, returnDefaults = true) =>
		NodeHelpers.getNodeParameters(
			tool.properties,
			values,
			returnDefaults,
			false,
			nodeWith(values),
			tool,
		);
	const notices = (of: typeof description, values: INodeParameters) =>
		of.properties.filter(
			(property) =>
				property.type === 'notice' &&
				NodeHelpers.displayParameter(values, property, nodeWith(values), of, values),
		);

	test.each(ALL)('%s starts at File URL, which an agent can fill in', (operation) => {
		const parameters = asTool({ operation });
		expect(parameters).toMatchObject({ inputSource: 'fileUrl' });
		expect(Object.keys(parameters ?? {})).toEqual(
			expect.arrayContaining(
				operation === 'faceMatch' ? ['selfieUrl', 'documentUrls'] : ['fileUrl'],
			),
		);
		expect(parametersOf(operation)).toMatchObject({ inputSource: 'binaryField' });
	});

	test.each(WITH_FILES)('the notice of %s names the sources that it has', (operation) => {
		const values = { ...parametersOf(operation), inputSource: 'binaryField' };
		const [notice, ...others] = notices(tool, values);
		expect(others).toEqual([]);
		expect(notice?.displayName.includes('Stored File')).toBe(
			PARAMETERS.reference?.includes(operation),
		);
	});

	test('Binary Field stays a choice, with a notice that is only there', () => {
		const chosen = { operation: 'extract', inputSource: 'binaryField' };
		expect(asTool(chosen, false)).toMatchObject({ inputSource: 'binaryField' });
		expect(asTool(chosen)).toMatchObject({ binaryPropertyName: '*' });
		expect(notices(tool, chosen)).toHaveLength(1);
		expect(notices(tool, { ...chosen, inputSource: 'fileUrl' })).toEqual([]);
		expect(notices(description, chosen)).toEqual([]);
	});
});

describe('What n8n stores of a node', () => {
	const stored = (values: INodeParameters) =>
		NodeHelpers.getNodeParameters(
			description.properties,
			values,
			false,
			false,
			nodeWith(values),
			description,
		);

	test('is what differs from the defaults, so a field that was entered stays', () => {
		// A resource locator is an object, which n8n always stores.
		expect(Object.keys(stored(parametersOf('extract')) ?? {})).toEqual(['templateId', 'options']);
		expect(stored(parametersOf('extract'))).toMatchObject({
			templateId: { mode: 'list', value: '' },
		});
		expect(stored({ ...parametersOf('extract'), binaryPropertyName: 'data' })).toMatchObject({
			binaryPropertyName: 'data',
		});
	});
});

describe('The menu', () => {
	const menus = description.properties.filter(({ name }) => name === 'operation');
	const [operation] = menus;
	const entries = (operation?.options ?? []) as INodePropertyOptions[];
	const all = menus.flatMap(({ options }) => options ?? []) as INodePropertyOptions[];

	test('lists the resources by name, Document chosen, which a workflow without one means', () => {
		const resource = description.properties.find(({ name }) => name === 'resource');
		expect((resource?.options ?? []).map((entry) => (entry as INodePropertyOptions).value)).toEqual(
			['document', 'job', 'storedFile'],
		);
		expect(resource).toMatchObject({ default: 'document', noDataExpression: true });
		expect(shown('extract', {}).map(({ name }) => name)).toContain('binaryPropertyName');
	});

	test('has each operation once, over all resources: conditions look at nothing else', () => {
		const values = all.map(({ value }) => value);
		expect(values).toEqual([...new Set(values)]);
		expect(values).toEqual([...ALL, ...OTHERS]);
	});

	test.each(['job', 'storedFile'])('lists the operations of %s by name', (resource) => {
		const menu = menus.find(
			({ displayOptions }) => displayOptions?.show?.resource?.[0] === resource,
		);
		const names = (menu?.options ?? []).map(({ name }) => name);
		expect(names).toEqual([...names].sort());
		expect(menu?.default).toBe(resource === 'job' ? 'submit' : 'upload');
	});

	test('lists the operations by name, Extract chosen', () => {
		const names = entries.map(({ name }) => name);
		expect(names).toEqual([...names].sort());
		expect(entries.map(({ value }) => value)).toEqual(ALL);
		expect(operation?.default).toBe('extract');
	});

	test.each([
		['classify', 'Classify'],
		['crop', 'Crop'],
		['zeroShot', 'Discover Fields'],
		['extract', 'Extract'],
		['faceMatch', 'Match Faces'],
		['split', 'Split'],
	])('%s, which workflows have stored, is %s', (value, name) => {
		expect(entries).toContainEqual(expect.objectContaining({ value, name }));
	});

	test('says of each what it does; an action has no articles', () => {
		for (const { description: text, action } of all) {
			expect(text).toMatch(/^[A-Z].*[^.]$/);
			expect(action).toMatch(/^[A-Z][a-z ]+$/);
			expect(action).not.toMatch(/\b(a|an|the)\b/);
		}
	});
});

describe('What n8n loads beside the node', () => {
	const packageJson = JSON.parse(
		readFileSync(join(folder, '..', '..', 'package.json'), 'utf8'),
	) as { name: string; homepage: string };
	const codex = JSON.parse(
		readFileSync(join(folder, 'DocumentIntelligence.node.json'), 'utf8'),
	) as {
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

	test.each([
		['node', description.icon, folder],
		['credential', new DocumentIntelligenceApi().icon, join(folder, '..', '..', 'credentials')],
	])('the icons of the %s are there, one for light and one for dark', (_, icon, from) => {
		if (typeof icon !== 'object') throw new Error('One icon only.');
		const [light, dark] = [icon.light, icon.dark].map((file) => {
			const path = join(from, file.replace(/^file:/, ''));
			expect({ path, exists: existsSync(path) }).toEqual({ path, exists: true });
			return readFileSync(path, 'utf8');
		});
		expect(light).toMatch(/<svg/);
		expect(dark).toMatch(/<svg/);
		expect(light).not.toBe(dark);
	});

	test('the credential is the one of the package, and agents may use the node', () => {
		expect(description.credentials).toEqual([
			{ name: new DocumentIntelligenceApi().name, required: true },
		]);
		expect(description.usableAsTool).toBe(true);
	});
});
