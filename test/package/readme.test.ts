import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { labelOf, resources } from '../../nodes/DocumentIntelligence/operations/resources';
import { n8nVersions } from '../n8n/recipes';

const project = join(__dirname, '..', '..');
const readme = readFileSync(join(project, 'README.md'), 'utf8');

/** What stands under a heading, up to the next of the same level. */
function section(heading: string): string {
	const [, text = ''] = readme.split(`\n## ${heading}\n`);
	return text.split('\n## ')[0] ?? '';
}

/** The first cells of a table, without its head. */
function firstCells(table: string): string[] {
	return [...table.matchAll(/^\| ?([^|]+?) ?\|/gm)].map(([, cell = '']) => cell).slice(2);
}

/** The published sources in one text. */
const sources = ['nodes', 'credentials']
	.flatMap((folder) =>
		readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
			join(project, folder, name),
		),
	)
	.filter((path) => path.endsWith('.ts'))
	.map((path) => readFileSync(path, 'utf8'))
	.join('\n');

test('has the sections that users look for, in their order', () => {
	const headings = [...readme.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading ?? '');
	const wanted = [
		'Installation and quick start',
		'Try it without an account',
		'Operations',
		'Credentials',
		'Usage',
		'Limits',
		'Troubleshooting',
		'Compatibility',
		'Updating and removing',
		'Development',
		'Resources',
		'Version history',
		'License',
	];
	expect(headings).toEqual(wanted);
});

/** The name that a link gives a heading. */
function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');
}

const pages = [
	'README.md',
	...readdirSync(join(project, 'docs'))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join('docs', name)),
];

test.each(pages)('the links of %s to headings lead to one', (page) => {
	const folder = dirname(join(project, page));
	const text = readFileSync(join(project, page), 'utf8');
	const links = [...text.matchAll(/\]\(([\w./-]*\.md)?#([^)]+)\)/g)];
	const broken = links.filter(([, file, anchor = '']) => {
		const target = file === undefined ? text : readFileSync(join(folder, file), 'utf8');
		const headings = [...target.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
		return !headings.map(anchorOf).includes(anchor);
	});
	expect(broken.map(([link]) => link)).toEqual([]);
});

test('names the versions of n8n that the end-to-end tests run, and no others', () => {
	expect(
		[...section('Compatibility').matchAll(/\d+\.\d+\.\d+/g)].map(([version]) => version),
	).toEqual([...n8nVersions]);
});

test('lists the operations of the menu', () => {
	const labels = resources.flatMap((resource) =>
		resource.operations.map((operation) => `**${labelOf(resource, operation)}**`),
	);
	expect(firstCells(section('Operations'))).toEqual(labels);
});

describe('explains messages that the node gives', () => {
	test.each(firstCells(section('Troubleshooting')))('%s', (message) => {
		// What differs from one time to the next is filled in by the code.
		const pieces = message
			.split(/"?…"?|300 seconds/)
			.map((piece) => piece.trim())
			.filter((piece) => piece !== '');
		expect(pieces.length).toBeGreaterThan(0);
		for (const piece of pieces) expect(sources).toContain(piece);
	});
});

/** The pictures of a page: Markdown's own, and those of HTML with the darker ones that may take their place. */
function picturesIn(page: string): Array<{ words: string; paths: string[] }> {
	const markdown = [...page.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)];
	const html = [...page.matchAll(/<picture>.*?<\/picture>/gs)].map(([picture]) => ({
		words: /alt="([^"]*)"/.exec(picture)?.[1] ?? '',
		paths: [...picture.matchAll(/ (?:src|srcset)="([^"]*)"/g)].map(([, path = '']) => path),
	}));
	return [...markdown.map(([, words = '', path = '']) => ({ words, paths: [path] })), ...html];
}

test('shows pictures that are there, each with words of its own', () => {
	const pictures = picturesIn(readme);
	expect(pictures.length).toBeGreaterThan(2);
	expect(new Set(pictures.map(({ words }) => words)).size).toBe(pictures.length);
	for (const { words, paths } of pictures) {
		expect(words.length).toBeGreaterThan(20);
		expect(paths).not.toEqual([]);
		for (const path of paths)
			expect(readFileSync(join(project, path)).subarray(1, 4).toString()).toBe('PNG');
	}
});

test('every picture of the repository is on a page', () => {
	const shown = [...pages, join('examples', 'README.md')].flatMap((page) =>
		picturesIn(readFileSync(join(project, page), 'utf8')).flatMap(({ paths }) =>
			paths.map((path) => join(dirname(page), path)),
		),
	);
	const stored = readdirSync(join(project, 'docs', 'images')).map((name) =>
		join('docs', 'images', name),
	);
	expect(stored.filter((path) => !shown.includes(path))).toEqual([]);
});
