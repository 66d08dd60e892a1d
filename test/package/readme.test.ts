import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { labelOf, resources } from '../../nodes/DocumentIntelligence/operations';
import { n8nVersions } from '../n8n/recipes';

const project = join(__dirname, '..', '..');
const docs = readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.md'))
	.map((name) => join('docs', name));
const pages = [
	'README.md',
	'AGENTS.md',
	'CONTRIBUTING.md',
	'SECURITY.md',
	join('examples', 'README.md'),
	...docs,
];
const textOf = (page: string) => readFileSync(join(project, page), 'utf8');

/** What stands under a heading of the README, up to the next of the same level. */
function section(heading: string): string {
	const [, text = ''] = textOf('README.md').split(`\n## ${heading}\n`);
	return text.split('\n## ')[0] ?? '';
}

/** The name that a link gives a heading. */
function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');
}

test.each(pages)('every link of %s leads somewhere', (page) => {
	const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
	const broken = links.filter(([, file = '', anchor]) => {
		const target = file === '' ? page : join(dirname(page), file);
		if (!existsSync(join(project, target))) return true;
		if (anchor === undefined) return false;
		const headings = [...textOf(target).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
		return !headings.map(anchorOf).includes(anchor);
	});
	expect(broken.map(([link]) => link)).toEqual([]);
});

test('the README names the versions of n8n that the end-to-end tests run, and no others', () => {
	const versions = [...section('Compatibility').matchAll(/\d+\.\d+\.\d+/g)];
	expect(versions.map(([version]) => version)).toEqual([...n8nVersions]);
});

test('the README lists the operations of the menu', () => {
	const labels = resources.flatMap((resource) =>
		resource.operations.map((operation) => labelOf(resource, operation)),
	);
	const listed = [...section('Operations').matchAll(/^\| \*\*(.+?)\*\* /gm)];
	expect(listed.map(([, label]) => label)).toEqual(labels);
});

/** The pictures of a page: Markdown's own, and those of HTML with the darker ones that may take their place. */
function picturesIn(page: string): Array<{ words: string; paths: string[] }> {
	const text = textOf(page);
	const markdown = [...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)];
	const html = [...text.matchAll(/<picture>.*?<\/picture>/gs)].map(([picture]) => ({
		words: /alt="([^"]*)"/.exec(picture)?.[1] ?? '',
		paths: [...picture.matchAll(/ (?:src|srcset)="([^"]*)"/g)].map(([, path = '']) => path),
	}));
	return [...markdown.map(([, words = '', path = '']) => ({ words, paths: [path] })), ...html];
}

test('pictures have words of their own, and each picture of the repository is on a page', () => {
	const pictures = pages.flatMap((page) =>
		picturesIn(page).map(({ words, paths }) => ({
			words,
			paths: paths.map((path) => join(dirname(page), path)),
		})),
	);
	expect(new Set(pictures.map(({ words }) => words)).size).toBe(pictures.length);
	for (const { words } of pictures) expect(words.length).toBeGreaterThan(20);
	const stored = readdirSync(join(project, 'docs', 'images')).map((name) =>
		join('docs', 'images', name),
	);
	expect([...new Set(pictures.flatMap(({ paths }) => paths))].sort()).toEqual(stored.sort());
});
