import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodePropertyOptions } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { allOf } from '../nodes/panel';

// n8n's guidelines for texts in the editor, as far as its linter does not hold them: that one reads the source, and
// sees no text that is put together or comes from another file.

const project = join(__dirname, '..', '..');
const { description } = new DocumentIntelligence();
const { description: trigger } = new DocumentIntelligenceTrigger();
const credential = new DocumentIntelligenceApi();

/** Every property of the nodes and the credential, those in collections too. */
const properties = allOf([
	...description.properties,
	...trigger.properties,
	...credential.properties,
]).filter(({ type }) => type !== 'hidden');

const choices = properties.flatMap(({ type, options = [] }) =>
	type === 'options' || type === 'multiOptions' ? (options as INodePropertyOptions[]) : [],
);

const labels = new Set([
	...properties.flatMap(({ type, displayName }) => (type === 'notice' ? [] : [displayName])),
	...choices.map(({ name }) => name),
	description.displayName,
	trigger.displayName,
	credential.displayName,
]);
/** Each text once, as the rows of a table. */
const rows = (texts: Iterable<string>) => [...new Set(texts)].map((text) => ({ text }));

test('the nodes panel has one entry for the node and its trigger, with the description of the trigger, so that names both', () => {
	const [, operations = 'none'] = description.description.split(': ');
	expect(trigger.description).toContain(operations);
	expect(trigger.description).toMatch(/start the workflow when a job has finished$/);
});

test('stored names are in camelCase', () => {
	const names = [
		description.name,
		trigger.name,
		credential.name,
		...properties.map(({ name }) => name),
		...choices.map(({ value }) => String(value)),
	];
	expect(names.filter((name) => !/^[a-z][A-Za-z]*$/.test(name))).toEqual([]);
});

const SMALL_WORDS = /^(a|an|and|as|at|by|for|from|in|of|on|or|per|the|to|with)$/;

test('there are texts to look at', () => {
	expect(labels.size).toBeGreaterThan(40);
	expect(properties.length).toBeGreaterThan(50);
});

test.each(rows(labels))('label in Title Case: $text', ({ text }) => {
	const words = text.replace(/[()]/g, '').split(' ');
	const lower = words.filter(
		(word, position) => !/^[A-Z]/.test(word) && (position === 0 || !SMALL_WORDS.test(word)),
	);
	expect(lower).toEqual([]);
	expect(words.filter((word) => /^(And|Of|Or|Per|The)$/.test(word))).toEqual([]);
});

test.each(rows(properties.flatMap(({ hint }) => hint ?? [])))(
	'hint of 120 characters at most: $text',
	({ text }) => expect(text.length).toBeLessThanOrEqual(120),
);

// n8n's lists show two lines of a description, and no more.
test.each(rows(choices.flatMap((choice) => choice.description ?? [])))(
	'description of a choice of 110 characters at most: $text',
	({ text }) => expect(text.length).toBeLessThanOrEqual(110),
);

test.each(properties.filter(({ type }) => type === 'boolean'))(
	'what can be on or off says whether: $displayName',
	({ description: text }) => expect(text).toMatch(/^Whether /),
);

test.each(
	rows(
		properties.flatMap(({ type, placeholder }) =>
			type === 'collection' ? [] : (placeholder ?? []),
		),
	),
)('placeholder with an example: $text', ({ text }) => expect(text).toMatch(/^e\.g\. \S/));

/** Shorter lists may stand in the order of their use, by n8n's linter too; Output has the same order in both nodes. */
const LONG_LIST = 5;

test.each(
	properties.filter(({ name, options = [] }) => options.length >= LONG_LIST && name !== 'output'),
)('alphabetical: the choices of $displayName', ({ options = [] }) => {
	const names = options.map((option) =>
		'displayName' in option ? option.displayName : option.name,
	);
	expect(names).toEqual([...names].sort((one, other) => one.localeCompare(other, 'en')));
});

const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name)),
);

test('pages and sections that comments cite are there', () => {
	const cited = sources.flatMap((path) => {
		const text = readFileSync(join(project, path), 'utf8').replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
		return [...text.matchAll(/docs\/((?:internals\/)?[\w-]+\.md)(?:, (\w[\w ]*))?/g)];
	});
	expect(cited.length).toBeGreaterThan(30);
	const missing = cited.filter(([, page = '', section = '']) => {
		const headings = /^#+ .*$/gm;
		const found = readFileSync(join(project, 'docs', page), 'utf8').match(headings) ?? [];
		return !found.some((heading) =>
			heading.replace(/^#+ /, '').toLowerCase().startsWith(section.toLowerCase()),
		);
	});
	expect(missing.map(([citation]) => citation)).toEqual([]);
});
