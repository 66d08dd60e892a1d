import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { documentOperations as operations } from '../../nodes/DocumentIntelligence/operations/document';
import { FILES_PER_REQUEST } from '../../nodes/DocumentIntelligence/parameters/options';
import { labelOf, resources } from '../../nodes/DocumentIntelligence/operations';
import { uses } from '../e2e/operations';
import { NODE_TYPE } from '../e2e/workflows';
import { repository, textOf } from './repository';

// A new operation fails here until every place knows it; the README's table and PANELS have tests of their own.

const folder = join('nodes', 'DocumentIntelligence');
const contract = textOf('docs/internals/service-contract.md');
const operationsOfStandIn = textOf('test/stand-in/processing/operations.ts');
const requestSchemas = textOf('test/stand-in/contract/requests.ts');
const resultSchemas = textOf('test/stand-in/contract/answers.ts');
const examples = readdirSync(join(repository, 'examples'))
	.filter((name) => name.endsWith('.json'))
	.map((name) => textOf(join('examples', name)));
const credential = new DocumentIntelligenceApi();
const sandboxTexts = {
	'README.md, the sentence on sandbox keys': /.*xtkt_test_.*/.exec(textOf('README.md'))?.[0],
	'the description of the API Key': credential.properties[0]?.description,
};
const { alias } = JSON.parse(textOf(join(folder, 'DocumentIntelligence.node.json'))) as {
	alias: string[];
};
const tried = uses.flatMap(({ workflow }) =>
	workflow().nodes.flatMap(({ type, parameters }) =>
		type === NODE_TYPE ? [parameters.operation] : [],
	),
);

const all = resources.flatMap((resource) =>
	resource.operations.map(({ value, name, ...own }) => ({
		value,
		name,
		path: 'path' in own ? own.path : undefined,
		jobOperation: own.jobOperation,
		label: labelOf(resource, { name }),
		resource: resource.name,
		file: join(resource.value, value),
	})),
);

test.each(all)('$label is known in every place that is written by hand', (operation) => {
	const { value, label, resource, file, path, name, jobOperation } = operation;
	const tests = readdirSync(join(repository, 'test', folder, 'operations'), {
		recursive: true,
		encoding: 'utf8',
	});
	const isSent = path !== undefined;
	const places = {
		[`operations/${file}.ts`]: existsSync(join(repository, folder, 'operations', `${file}.ts`)),
		[`test/${folder}/operations/${file}.test.ts`]: tests.some(
			(test) => test.startsWith(file) && test.endsWith('.test.ts'),
		),
		'DocumentIntelligence.node.json, alias': alias.includes(
			resource === 'Document' ? label : resource,
		),
		'CHANGELOG.md': textOf('CHANGELOG.md').includes(label),
		'test/e2e/operations.ts': tried.includes(value),
		'docs/internals/service-contract.md, a row with its path':
			!isSent || contract.includes(`\n| \`${path}\` | ${name} |`),
		'docs/internals/service-contract.md, a section with its result':
			!isSent || contract.includes(`\n### ${name}\n`),
		'test/stand-in/processing/operations.ts':
			!isSent ||
			operationsOfStandIn.includes(
				`path: '${path}',${jobOperation === undefined ? '' : ` job: '${jobOperation}',`}`,
			),
		'test/stand-in/contract/requests.ts': !isSent || requestSchemas.includes(`'POST ${path}'`),
		'test/stand-in/contract/answers.ts':
			!isSent || resultSchemas.includes(jobOperation ?? `'${path}'`),
		'examples/, a workflow':
			!isSent || examples.some((example) => example.includes(`"operation": "${value}"`)),
		...Object.fromEntries(
			Object.entries(sandboxTexts).map(([place, text = '']) => [
				place,
				!isSent || jobOperation !== undefined || text.includes(name),
			]),
		),
	};
	const missing = Object.entries(places).flatMap(([place, isThere]) => (isThere ? [] : [place]));
	expect(missing).toEqual([]);
});

test.each(operations)('only as a job, $name takes a stored file', ({ jobOperation, sources }) => {
	if (jobOperation === undefined) expect(sources.filter(({ storable }) => storable)).toEqual([]);
	else expect(contract).toMatch(new RegExp(`Operations: .*\\b${jobOperation}\\b`));
});

test('of a request with several documents, each gets its own part', () => {
	const shared = operations.filter(({ options }) => options.includes(FILES_PER_REQUEST));
	expect(shared.length).toBeGreaterThan(0);
	expect(shared.filter((operation) => operation.answerFor === undefined)).toEqual([]);
});
