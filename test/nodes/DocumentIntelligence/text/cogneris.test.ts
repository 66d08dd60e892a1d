import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

test('hosts, links and prefixes of keys are in one source', () => {
	const project = join(__dirname, '..', '..', '..', '..');
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => join(folder, name)),
	);
	const facts = /xtkt|cogneris\.ai/;
	const found = sources.filter((path) => facts.test(readFileSync(join(project, path), 'utf8')));
	expect(found).toEqual([join('nodes', 'DocumentIntelligence', 'text', 'cogneris.ts')]);
});
