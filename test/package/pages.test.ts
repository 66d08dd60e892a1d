import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { INodePropertyOptions } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { EXTENSION_LIST } from '../../nodes/DocumentIntelligence/files/fileTypes';
import { labelOf, resources } from '../../nodes/DocumentIntelligence/operations';
import { documentOperations } from '../../nodes/DocumentIntelligence/operations/document';
import { MAX_FILE_BYTES } from '../../nodes/DocumentIntelligence/operations/operation';
import {
	FILES_PER_REQUEST,
	FILES_PROCESSED_BEFORE,
	TIMEOUT,
} from '../../nodes/DocumentIntelligence/parameters/options';
import { MAX_BUNDLE_BYTES } from '../../nodes/DocumentIntelligence/pdf/openBundle';
import { processMemory } from '../../nodes/DocumentIntelligence/run/ledger/memory';
import {
	CONCURRENT_REQUESTS,
	REQUESTS_PER_MINUTE,
} from '../../nodes/DocumentIntelligence/service/account';
import { REGION_HOSTS } from '../../nodes/DocumentIntelligence/text/cogneris';
import { MB } from '../../nodes/DocumentIntelligence/text/words';
import { n8nVersions } from '../n8n/recipes';
import { allOf } from '../nodes/panel';
import { filesIn, publishedSources, repository, sectionOf, textOf } from './repository';

// Sentences of the pages that the code decides, and what they link to.

const ROOT_PAGES = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const everyPage = [...ROOT_PAGES, 'examples/README.md', ...filesIn('docs', '.md')];
const forUsers = ['README.md', ...filesIn('docs', '.md')].filter(
	(name) => !name.startsWith('docs/internals/'),
);
const readme = textOf('README.md');
const page = (name: string) => textOf(`docs/${name}.md`);
const textForUsers = forUsers.map(textOf).join('\n');

const headingsOf = (name: string) =>
	[...textOf(name).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

describe('What is linked or cited exists', () => {
	/** The name that a link gives a heading. */
	const anchorOf = (heading: string) =>
		heading
			.toLowerCase()
			.replace(/[^\w\- ]/g, '')
			.replaceAll(' ', '-');

	test.each(everyPage)('every link of %s leads somewhere', (name) => {
		const links = [...textOf(name).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
		const broken = links.filter(([, file = '', anchor]) => {
			const target = file === '' ? name : join(dirname(name), file);
			if (!existsSync(join(repository, target))) return true;
			return anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor);
		});
		expect(broken.map(([link]) => link)).toEqual([]);
	});

	test('pages and sections that comments in the sources cite', () => {
		const cited = publishedSources.flatMap((source) => {
			const text = textOf(source).replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
			return [...text.matchAll(/docs\/((?:internals\/)?[\w-]+)\.md(?:, (\w[\w ]*))?/g)];
		});
		expect(cited.length).toBeGreaterThan(30);
		const missing = cited.filter(([, name = '', section = '']) =>
			headingsOf(`docs/${name}.md`).every(
				(heading) => !heading.toLowerCase().startsWith(section.toLowerCase()),
			),
		);
		expect(missing.map(([citation]) => citation)).toEqual([]);
	});

	test('each picture of the repository is on a page, with words for those who do not see it', () => {
		const shown = everyPage.flatMap((name) => {
			const text = textOf(name);
			const pictures = [
				...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g),
				...text.matchAll(/ (?:src|srcset)="([^"]*)"/g),
			];
			expect(text).not.toMatch(/!\[\]|<img (?![^>]*alt="[^"])/);
			return pictures.map(([, path = '']) => join(dirname(name), path));
		});
		expect([...new Set(shown)].sort()).toEqual(filesIn('docs/images', '').sort());
	});
});

describe('The panel and the pages', () => {
	const properties = allOf([
		...new DocumentIntelligence().description.properties,
		...new DocumentIntelligenceTrigger().description.properties,
		...new DocumentIntelligenceApi().properties,
	]).filter(({ type }) => !['hidden', 'notice', 'collection'].includes(type));
	const labels = new Set(
		properties.map(({ displayName }) => displayName.replace(' (Seconds)', '')),
	);

	/** What n8n users know from other nodes, or what stands for itself in the panel. */
	const WITHOUT_A_PAGE = ['Resource', 'Mode', 'Selfie URL', 'Document URLs'];

	test('every label of the panel is on a page', () => {
		const missing = [...labels].filter(
			(label) =>
				!new RegExp(`\\b${label.replace(/[()]/g, '\\$&')}\\b`).test(textForUsers) &&
				!WITHOUT_A_PAGE.includes(label),
		);
		expect(missing).toEqual([]);
	});

	/** Options of n8n's own nodes. */
	const OF_N8N = ['Cell Format'];

	test('an option that a page names exists', () => {
		const lists = textForUsers.matchAll(/\boptions? ((?:\*\*[^*]+\*\*(?:, | and | or )?)+)/g);
		const named = [...lists].flatMap(([, list = '']) =>
			[...list.matchAll(/\*\*([^*:]+)(?:: [^*]+)?\*\*/g)].map(([, option = '']) => option),
		);
		expect(named.length).toBeGreaterThan(5);
		expect(named.filter((name) => !labels.has(name) && !OF_N8N.includes(name))).toEqual([]);
	});

	test('a choice that a page sets exists', () => {
		const lists = properties.filter(({ type }) => ['options', 'multiOptions'].includes(type));
		const sentences = textForUsers.matchAll(/\*\*([\w ]+)\*\* (?:set )?to \*\*([\w ]+)\*\*/g);
		const set = [...sentences].flatMap(([sentence, label, choice]) => {
			const options = lists
				.filter(({ displayName }) => displayName === label)
				.flatMap(({ options: own = [] }) => own as INodePropertyOptions[]);
			return options.length === 0
				? []
				: [{ sentence, exists: options.some(({ name }) => name === choice) }];
		});
		expect(set.length).toBeGreaterThan(5);
		expect(set.filter(({ exists }) => !exists)).toEqual([]);
	});
});

describe('Numbers and hosts of the code', () => {
	const split = documentOperations.find(({ value }) => value === 'split');
	const megabytes = (bytes = 0) => `${bytes / MB} MB`;
	const filesPerRequest = FILES_PER_REQUEST.typeOptions.maxValue;

	test.each<[string, ...sentences: string[]]>([
		[
			'README.md',
			`${REQUESTS_PER_MINUTE} by default`,
			`${CONCURRENT_REQUESTS.preferred} by default`,
			`up to ${megabytes(MAX_FILE_BYTES)} each`,
			`Split accepts up to ${megabytes(split?.maxFileBytes)}`,
		],
		[
			'docs/split.md',
			`files of up to ${megabytes(split?.maxFileBytes)}`,
			`Above ${megabytes(MAX_BUNDLE_BYTES)} (`,
		],
		[
			'docs/troubleshooting.md',
			`default is ${TIMEOUT.default} seconds`,
			`${split?.timeout?.default.toLocaleString('en-US')} for Split`,
		],
		[
			'docs/paid-kept-skipped.md',
			`(${FILES_PER_REQUEST.default} by default)`,
			`up to ${filesPerRequest} files`,
			`${megabytes(processMemory.maxBytesOfRun)} for one workflow`,
		],
		['docs/self-hosting.md', ...Object.values(REGION_HOSTS)],
	])('%s says what the code does', (name, ...sentences) => {
		for (const sentence of sentences) expect(textOf(name)).toContain(sentence);
	});
});

describe('Lists of the code', () => {
	/** The entries of "a, b and c". */
	const listed = (list = '') => list.split(/, | and /);

	const operations = resources.flatMap((resource) =>
		resource.operations.map((operation) => ({
			label: labelOf(resource, operation),
			options: operation.options,
		})),
	);

	test('the README lists the file types', () => {
		const [types = ''] = /PDF, PNG, [^.]+ DOCX/.exec(readme) ?? [];
		// Extensions of types that it lists by their longer names.
		const extensions = [...listed(types.toLowerCase()), 'jpg', 'tif'];
		expect(extensions.map((extension) => `.${extension}`).sort()).toEqual(
			EXTENSION_LIST.split(', ').sort(),
		);
	});

	test('the README lists the operations of the menu', () => {
		const rows = [...sectionOf(readme, 'Operations').matchAll(/^\| \*\*(.+?)\*\* /gm)];
		expect(rows.map(([, label]) => label)).toEqual(operations.map(({ label }) => label));
	});

	test('the README names the versions of n8n that the end-to-end tests run, and no others', () => {
		expect(sectionOf(readme, 'Compatibility').match(/\d+\.\d+\.\d+/g)).toEqual([...n8nVersions]);
	});

	test('the page on costs names the operations whose items show credits', () => {
		const withCredits = documentOperations
			.filter(({ outputSchema }) => outputSchema.properties?.creditsConsumed !== undefined)
			.map(({ name }) => name);
		const [, named] = /`creditsConsumed` of ([^`]+?), if Cogneris/.exec(page('invoices')) ?? [];
		expect(listed(named).sort()).toEqual(withCredits.sort());
	});

	test('the page on skipped files names the operations that have Files Processed Before', () => {
		const withOption = operations
			.filter(({ options }) => options.includes(FILES_PROCESSED_BEFORE))
			.map(({ label }) => label);
		const [, named] = /The option is available for ([^.]+)\./.exec(page('paid-kept-skipped')) ?? [];
		expect(listed(named).sort()).toEqual(withOption.sort());
	});
});

test('npm changes the folder of community nodes only with the flag that it needs there', () => {
	const commands = textForUsers.match(/npm (install|uninstall) [^`\n]*--prefix/g) ?? [];
	expect(commands.length).toBeGreaterThan(2);
	expect(commands.filter((command) => !command.includes('--legacy-peer-deps'))).toEqual([]);
});

test('the table of processes with one key is that of the benchmark', () => {
	const rowsOf = (text: string) =>
		[...text.matchAll(/^ *\|\s*(\d+)\s*\|(.*)\|$/gm)].map(([, count = '', cells = '']) => [
			count,
			...cells.split('|').map((cell) => cell.trim()),
		]);
	const benchmark = sectionOf(page('internals/benchmarks'), 'Many n8n processes with one key');
	const measured = rowsOf(benchmark).map(([count, , refused, , , ratio]) => [
		count,
		ratio,
		refused,
	]);
	expect(measured).toHaveLength(6);
	expect(rowsOf(sectionOf(page('self-hosting'), 'Queue mode'))).toEqual(measured);
});
