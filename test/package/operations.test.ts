import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { documentOperations as operations } from '../../nodes/DocumentIntelligence/operations/documentOperations';
import { labelOf, resources } from '../../nodes/DocumentIntelligence/operations';
import { uses } from '../e2e/operations';
import { NODE_TYPE } from '../e2e/workflows';

// What is written by hand for each operation. A new one fails here until every place knows it; the README's table is
// held by its own test.

const project = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const folder = join('nodes', 'DocumentIntelligence');
const contract = read('docs/internals/service-contract.md');
const { alias } = JSON.parse(read(join(folder, 'DocumentIntelligence.node.json'))) as {
	alias: string[];
};
const tried = uses.flatMap(({ workflow }) =>
	workflow().nodes.flatMap(({ type, parameters }) =>
		type === NODE_TYPE ? [parameters.operation] : [],
	),
);

const all = resources.flatMap((resource) =>
	resource.operations.map(({ value, name }) => ({
		value,
		name,
		label: labelOf(resource, { name }),
		resource: resource.name,
		file:
			resource.value === 'document'
				? value
				: `${resource.value}${value[0]?.toUpperCase()}${value.slice(1)}`,
	})),
);

describe.each(all)('$label', ({ value, label, resource, file }) => {
	test('stands in a file named after it, and has tests of its own', () => {
		expect(readdirSync(join(project, folder, 'operations'))).toContain(`${file}.ts`);
		expect(readdirSync(join(project, 'test', folder, 'operations'))).toContainEqual(
			expect.stringMatching(`^${file}\\w*\\.test\\.ts$`),
		);
	});

	test('is found in the nodes panel by its name, or that of its resource', () => {
		expect(alias).toContain(resource === 'Document' ? label : resource);
	});

	test('is named in the changelog', () => {
		expect(read('CHANGELOG.md')).toContain(label);
	});

	test('is tried in a real n8n', () => {
		expect(tried).toContain(value);
	});
});

describe.each(operations)('$name', ({ name, path }) => {
	test('has its path and its result in docs/internals/service-contract.md', () => {
		expect(contract).toContain(`\n| \`${path}\` | ${name} |`);
		expect(contract).toContain(`\n### ${name}\n`);
	});
});
