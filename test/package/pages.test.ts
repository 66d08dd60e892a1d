import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
import { allOf } from '../nodes/panel';

// Sentences of the pages that the code decides.

const project = join(__dirname, '..', '..');
const docs = readdirSync(join(project, 'docs')).filter((name) => name.endsWith('.md'));
const pages = Object.fromEntries(
	['README.md', ...docs.map((name) => join('docs', name))].map((page) => [
		page,
		readFileSync(join(project, page), 'utf8'),
	]),
);
const allPages = Object.values(pages).join('\n');
const page = (name: string) => pages[join('docs', `${name}.md`)] ?? '';

const properties = allOf([
	...new DocumentIntelligence().description.properties,
	...new DocumentIntelligenceTrigger().description.properties,
	...new DocumentIntelligenceApi().properties,
]).filter(({ type }) => !['hidden', 'notice', 'collection'].includes(type));
const labels = new Set(properties.map(({ displayName }) => displayName.replace(' (Seconds)', '')));
/** The choices of all lists with a label. */
const choices = new Map<string, string[]>();
for (const { displayName, type, options = [] } of properties)
	if (['options', 'multiOptions'].includes(type))
		choices.set(displayName, [
			...(choices.get(displayName) ?? []),
			...(options as INodePropertyOptions[]).map(({ name }) => name),
		]);

/** What n8n users know from other nodes, or what stands for itself in the panel. */
const WITHOUT_A_PAGE = new Set(['Resource', 'Mode', 'Selfie URL', 'Document URLs']);

test.each([...labels].filter((label) => !WITHOUT_A_PAGE.has(label)))(
	'%s of the panel is on a page',
	(label) => expect(allPages).toMatch(new RegExp(`\\b${label.replace(/[()]/g, '\\$&')}\\b`)),
);

/** Options of n8n's own nodes. */
const OF_N8N = new Set(['Cell Format']);

test('an option that a page names exists', () => {
	const named = Object.entries(pages).flatMap(([name, text]) =>
		[...text.matchAll(/\boptions? ((?:\*\*[^*]+\*\*(?:, | and | or )?)+)/g)].flatMap(
			([, list = '']) =>
				[...list.matchAll(/\*\*([^*:]+)(?:: [^*]+)?\*\*/g)].map(([, option = '']) => ({
					name,
					option,
				})),
		),
	);
	expect(named.length).toBeGreaterThan(5);
	expect(named.filter(({ option }) => !labels.has(option) && !OF_N8N.has(option))).toEqual([]);
});

test('a choice that a page sets exists', () => {
	const set = Object.entries(pages).flatMap(([name, text]) =>
		[...text.matchAll(/\*\*([\w ]+)\*\* (?:set )?to \*\*([\w ]+)\*\*/g)].flatMap(
			([, parameter = '', choice = '']) =>
				choices.has(parameter) ? [{ name, parameter, choice }] : [],
		),
	);
	expect(set.length).toBeGreaterThan(5);
	expect(set.filter(({ parameter, choice }) => !choices.get(parameter)?.includes(choice))).toEqual(
		[],
	);
});

const split = documentOperations.find(({ value }) => value === 'split');
const megabytes = (bytes = 0) => `${bytes / MB} MB`;

test.each<[string, string, string]>([
	['README.md', pages['README.md'] ?? '', `${REQUESTS_PER_MINUTE} by default`],
	['README.md', pages['README.md'] ?? '', `${CONCURRENT_REQUESTS.preferred} by default`],
	['README.md', pages['README.md'] ?? '', `up to ${megabytes(MAX_FILE_BYTES)} each`],
	['README.md', pages['README.md'] ?? '', `Split accepts up to ${megabytes(split?.maxFileBytes)}`],
	['split', page('split'), `files of up to ${megabytes(split?.maxFileBytes)}`],
	['split', page('split'), `Above ${megabytes(MAX_BUNDLE_BYTES)} (`],
	['troubleshooting', page('troubleshooting'), `default is ${TIMEOUT.default} seconds`],
	[
		'troubleshooting',
		page('troubleshooting'),
		`${split?.timeout?.default.toLocaleString('en-US')} for Split`,
	],
	['paid-kept-skipped', page('paid-kept-skipped'), `(${FILES_PER_REQUEST.default} by default)`],
	[
		'paid-kept-skipped',
		page('paid-kept-skipped'),
		`up to ${FILES_PER_REQUEST.typeOptions.maxValue} files`,
	],
	[
		'paid-kept-skipped',
		page('paid-kept-skipped'),
		`${megabytes(processMemory.maxBytesOfRun)} for one workflow`,
	],
	...Object.values(REGION_HOSTS).map((host): [string, string, string] => [
		'self-hosting',
		page('self-hosting'),
		host,
	]),
])('%s says what the code does: %#', (_, text, sentence) => expect(text).toContain(sentence));

/** Extensions of types that the README lists by their longer names. */
const SHORT_FORMS = ['jpg', 'tif'];

test('the README lists the file types', () => {
	const [list = ''] = /PDF, PNG, [^.]+ DOCX/.exec(pages['README.md'] ?? '') ?? [];
	const listed = list.toLowerCase().replace(' and ', ', ').split(', ');
	const supported = EXTENSION_LIST.split(', ').map((extension) => extension.slice(1));
	expect([...listed, ...SHORT_FORMS].sort()).toEqual([...supported].sort());
});

test('the page on costs names the operations whose items show credits', () => {
	const withCredits = documentOperations
		.filter(({ outputSchema }) => outputSchema.properties?.creditsConsumed !== undefined)
		.map(({ name }) => name);
	const [, named = ''] = /`creditsConsumed` of ([^`]+?), if Cogneris/.exec(page('invoices')) ?? [];
	expect(named.split(/, | and /).sort()).toEqual(withCredits.sort());
});

test('the page on skipped files names the operations that have Files Processed Before', () => {
	const withOption = resources.flatMap((resource) =>
		resource.operations
			.filter(({ options }) => options.includes(FILES_PROCESSED_BEFORE))
			.map((operation) => labelOf(resource, operation)),
	);
	const [, named = ''] =
		/The option is available for ([^.]+)\./.exec(page('paid-kept-skipped')) ?? [];
	expect(named.split(/, | and /).sort()).toEqual(withOption.sort());
});

test('npm changes the folder of community nodes only with the flag that it needs there', () => {
	const commands = allPages.match(/npm (install|uninstall) [^`\n]*--prefix/g) ?? [];
	expect(commands.length).toBeGreaterThan(2);
	expect(commands.filter((command) => !command.includes('--legacy-peer-deps'))).toEqual([]);
});

test('the table of processes with one key is that of the benchmark', () => {
	const benchmarks = readFileSync(join(project, 'docs', 'internals', 'benchmarks.md'), 'utf8');
	const [, simulated = ''] = benchmarks.split('## Many n8n processes with one key');
	const cellsOf = (text: string) =>
		[...text.matchAll(/^ *\|\s*(\d+)\s*\|(.*)\|$/gm)].map(([, count = '', cells = '']) => [
			count,
			...cells.split('|').map((cell) => cell.trim()),
		]);
	const measured = cellsOf(simulated.split('\n## ')[0] ?? '').map(
		([count, , refused, , , ratio]) => [count, ratio, refused],
	);
	expect(measured).toHaveLength(6);
	const [, queueMode = ''] = page('self-hosting').split('## Queue mode');
	expect(cellsOf(queueMode.split('\n## ')[0] ?? '')).toEqual(measured);
});
