import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const repository = join(__dirname, '..', '..');

/** Of a file, by its path from the folder of the repository. */
export const textOf = (path: string) => readFileSync(join(repository, path), 'utf8');

export function filesIn(folder: string, ending: string): string[] {
	return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => join(folder, name));
}

export const publishedSources = ['nodes', 'credentials'].flatMap((folder) =>
	filesIn(folder, '.ts'),
);

/** What stands under a heading of the second level that begins like this, up to the next one. */
export function sectionOf(text: string, heading: string): string {
	const [, section = ''] = text.split(`\n## ${heading}`);
	return section.split('\n## ')[0] ?? '';
}

/** A publisher who has set everything. */
export const ANN = {
	author: { name: 'Ann', email: 'ann@documents.test' },
	homepage: 'https://documents.test',
	repository: 'https://git.documents.test/ann/nodes',
	documentation: 'https://docs.documents.test/nodes',
	licenseHolder: 'Ann Example',
};
