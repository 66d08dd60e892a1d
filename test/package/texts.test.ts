import type { INodePropertyOptions } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { allOf } from '../nodes/panel';

// n8n's guidelines for texts in the editor, as far as its linter does not hold them: that one reads the source, and
// sees no text that is put together or comes from another file.

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

const labels = [
	...[description, trigger, credential, ...properties.filter(({ type }) => type !== 'notice')].map(
		({ displayName }) => displayName,
	),
	...choices.map(({ name }) => name),
];

test('the nodes panel has one entry for the node and its trigger, with the description of the trigger, so that names both', () => {
	const [, operations = 'none'] = description.description.split(': ');
	expect(trigger.description).toContain(operations);
	expect(trigger.description).toMatch(/start the workflow when a job has finished$/);
});

const SMALL_WORDS = /^(a|an|and|as|at|by|for|from|in|of|on|or|per|the|to|with)$/;

function isInTitleCase(label: string): boolean {
	const words = label.replace(/[()]/g, '').split(' ');
	return words.every((word, position) =>
		position > 0 && SMALL_WORDS.test(word.toLowerCase())
			? !/^(And|Of|Or|Per|The)$/.test(word)
			: /^[A-Z]/.test(word),
	);
}

const ofType = (wanted: string) => properties.filter(({ type }) => type === wanted);

test.each<[string, Array<string | undefined>, (text: string) => boolean]>([
	[
		'stored names are in camelCase',
		[
			...[description, trigger, credential, ...properties].map(({ name }) => name),
			...choices.map(({ value }) => String(value)),
		],
		(text) => /^[a-z][A-Za-z]*$/.test(text),
	],
	['labels are in Title Case', labels, isInTitleCase],
	[
		'hints have 120 characters at most',
		properties.map(({ hint }) => hint),
		(text) => text.length <= 120,
	],
	[
		"descriptions of choices fit into the two lines of n8n's lists, which have 110 characters",
		choices.map(({ description: text }) => text),
		(text) => text.length <= 110,
	],
	[
		'what can be on or off says whether',
		ofType('boolean').map(({ description: text }) => text),
		(text) => text.startsWith('Whether '),
	],
	[
		'placeholders are examples',
		properties.flatMap(({ type, placeholder }) => (type === 'collection' ? [] : placeholder)),
		(text) => /^e\.g\. \S/.test(text),
	],
])('%s', (_rule, texts, isKept) => {
	const given = texts.filter((text) => text !== undefined);
	expect(given).not.toEqual([]);
	expect(given.filter((text) => !isKept(text))).toEqual([]);
});

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
