import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { operations } from '../../nodes/DocumentIntelligence/documents/operations/index';
import { uses } from '../e2e/operations';
import { NODE } from '../e2e/workflows';

// What is written by hand for each operation. A new one fails here until every place knows it; the README's table is
// held by its own test.

const project = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const folder = join('nodes', 'DocumentIntelligence');
const contract = read('docs/service-contract.md');
const { alias } = JSON.parse(read(join(folder, 'DocumentIntelligence.node.json'))) as {
	alias: string[];
};
const tests = readdirSync(join(project, 'test', folder, 'documents', 'operations'));
const tried = uses.map(
	({ workflow }) => workflow().nodes.find(({ name }) => name === NODE)?.parameters.operation,
);

describe.each(operations)('$name', ({ value, name, path }) => {
	test('stands in a file named after its value', () => {
		const file = join(folder, 'documents', 'operations', `${value}.ts`);
		expect({ file, exists: existsSync(join(project, file)) }).toEqual({ file, exists: true });
	});

	test('has tests of its own', () => {
		expect(tests).toContainEqual(expect.stringMatching(`^${value}\\w*\\.test\\.ts$`));
	});

	test('is found in the nodes panel by its name', () => {
		expect(alias).toContain(name);
	});

	test('has its path and its result in docs/service-contract.md', () => {
		expect(contract).toContain(`\n| \`${path}\` | ${name} |`);
		expect(contract).toContain(`\n### ${name}\n`);
	});

	test('is named in the changelog', () => {
		expect(read('CHANGELOG.md')).toContain(name);
	});

	test('is tried in a real n8n', () => {
		expect(tried).toContain(value);
	});
});
