import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { documentOperations as operations } from '../../nodes/DocumentIntelligence/operations/documentOperations';
import { labelOf, resources } from '../../nodes/DocumentIntelligence/operations';
import { uses } from '../e2e/operations';
import { NODE_TYPE } from '../e2e/workflows';

// A new operation fails here until every place knows it; the README's table and PANELS have tests of their own.

const project = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const folder = join('nodes', 'DocumentIntelligence');
const contract = read('docs/internals/service-contract.md');
const routes = read('test/stand-in/routes/documents.ts');
const { alias } = JSON.parse(read(join(folder, 'DocumentIntelligence.node.json'))) as {
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
		label: labelOf(resource, { name }),
		resource: resource.name,
		file:
			resource.value === 'document'
				? value
				: `${resource.value}${value[0]?.toUpperCase()}${value.slice(1)}`,
	})),
);

test.each(all)('$label is known in every place that is written by hand', (operation) => {
	const { value, label, resource, file, path, name } = operation;
	const tests = readdirSync(join(project, 'test', folder, 'operations'));
	const isSent = path !== undefined;
	const places = {
		[`operations/${file}.ts`]: readdirSync(join(project, folder, 'operations')).includes(
			`${file}.ts`,
		),
		[`test/${folder}/operations/${file}.test.ts`]: tests.some(
			(test) => test.startsWith(file) && test.endsWith('.test.ts'),
		),
		'DocumentIntelligence.node.json, alias': alias.includes(
			resource === 'Document' ? label : resource,
		),
		'CHANGELOG.md': read('CHANGELOG.md').includes(label),
		'test/e2e/operations.ts': tried.includes(value),
		'docs/internals/service-contract.md, a row with its path':
			!isSent || contract.includes(`\n| \`${path}\` | ${name} |`),
		'docs/internals/service-contract.md, a section with its result':
			!isSent || contract.includes(`\n### ${name}\n`),
		'test/stand-in/routes/documents.ts': !isSent || routes.includes(`'${path}'`),
	};
	const missing = Object.entries(places).flatMap(([place, isThere]) => (isThere ? [] : [place]));
	expect(missing).toEqual([]);
});

test.each(operations)('only as a job, $name takes a stored file', ({ jobOperation, sources }) => {
	if (jobOperation === undefined) expect(sources.filter(({ storable }) => storable)).toEqual([]);
	else expect(contract).toMatch(new RegExp(`Operations: .*\\b${jobOperation}\\b`));
});
