import { NodeHelpers, type INode, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { opened, optionsFor, shownFor } from '../panel';

const { description } = new DocumentIntelligenceTrigger();

const names = (properties: INodeProperties[]) => properties.map(({ name }) => name);

/** The names of what the editor shows for these choices, by n8n's own rules. */
const shown = (chosen: INodeParameters) =>
	names(shownFor(description, description.properties, opened(description, chosen)));

const optionsShown = (chosen: INodeParameters) =>
	names(optionsFor(description, opened(description, chosen)));

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
	const expected = ['Classify', 'Crop', 'Discover Fields', 'Extract', 'Split'];
	expect(listed?.map(({ name }) => name)).toEqual(expected);
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
