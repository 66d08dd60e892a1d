import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { NodeHelpers, type INode, type INodeParameters } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { opened, optionsFor, SEARCHED, shownFor } from '../panel';

const { description } = new DocumentIntelligenceTrigger();
const folder = join(__dirname, '..', '..', '..', 'nodes', 'DocumentIntelligence');

/** The names of what the editor shows for these choices, by n8n's own rules. */
const shown = (chosen: INodeParameters) =>
	shownFor(description, description.properties, opened(description, chosen)).map(
		({ name }) => name,
	);

/** The names of the options for these choices. */
const optionsShown = (chosen: INodeParameters) =>
	optionsFor(description, opened(description, chosen)).map(({ name }) => name);

// Stored in workflows: a name that has been published stays.
test('the panel shows what the choices need', () => {
	expect(shown({})).toEqual(['jobNotice', 'events', 'operations', 'output', 'options']);
	// Without results, there is nothing to choose.
	expect(shown({ events: ['failed'] })).toEqual(['jobNotice', 'events', 'operations']);
	const usual = [
		'checks',
		'confidenceThreshold',
		'dateOrder',
		'decimalMark',
		'downloadImages',
		'includeFieldDetails',
		'textFields',
		'requiredFields',
		'values',
	];
	expect(optionsShown({})).toEqual(usual);
	expect(optionsShown({ output: 'rows' })).toEqual(usual.toSpliced(-1, 0, 'rowsFrom'));
	for (const output of ['raw', 'job']) expect(optionsShown({ output })).toEqual([]);
	expect(opened(description, {})).toMatchObject({
		events: ['succeeded', 'failed'],
		operations: [],
		output: 'fields',
		options: {},
	});
});

test('n8n asks for Trigger On if nothing is chosen', () => {
	const issuesOf = (events: string[]) => {
		const node = { typeVersion: 1, parameters: { events } } as unknown as INode;
		return NodeHelpers.getNodeParametersIssues(description.properties, node, description);
	};
	expect(issuesOf([])?.parameters).toHaveProperty('events');
	expect(issuesOf(['failed'])).toBeNull();
});

test('n8n lists Job Succeeded as its first action', () => {
	const events = description.properties.find(({ name }) => name === 'events');
	expect(events?.options?.map(({ name }) => name)).toEqual(['Job Succeeded', 'Job Failed']);
});

test('the operations are those that can be jobs', () => {
	const listed = description.properties.find(({ name }) => name === 'operations')?.options;
	expect(listed?.map(({ name }) => name)).toEqual([
		'Classify',
		'Crop',
		'Discover Fields',
		'Extract',
		'Split',
	]);
});

test('it is a trigger that polls, with the credential and icon of the node', () => {
	const node = new DocumentIntelligence().description;
	expect(description).toMatchObject({
		group: ['trigger'],
		polling: true,
		inputs: [],
		credentials: node.credentials,
		icon: node.icon,
	});
});

test('the codex file is this node’s, with the links of the other', () => {
	const [own, other] = ['DocumentIntelligenceTrigger', 'DocumentIntelligence'].map(
		(name) =>
			JSON.parse(readFileSync(join(folder, `${name}.node.json`), 'utf8')) as {
				node: string;
				alias: string[];
				resources: unknown;
				categories: unknown;
			},
	);
	expect(own?.node).toBe(`n8n-nodes-document-intelligence.${description.name}`);
	expect(own).toMatchObject({ resources: other?.resources, categories: other?.categories });
	expect(new Set(own?.alias).size).toBe(own?.alias.length);
	expect(own?.alias).toEqual(
		expect.arrayContaining([...SEARCHED, 'Document Trigger', 'Trigger Document']),
	);
});
