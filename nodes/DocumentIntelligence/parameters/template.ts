import type { INodeProperties } from 'n8n-workflow';

import { isObject } from '../text/json';
import type { ReadParameter } from './readParameter';

export const TEMPLATE: INodeProperties = {
	displayName: 'Template',
	name: 'templateId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Automatic',
			typeOptions: { searchListMethod: 'searchTemplates', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 5f0c2a1e-6f0b-4a59-9a63-6a1f0c8f9d21',
		},
	],
	description:
		'The template to read the document with. Leave empty to have it chosen automatically. With a template, the document is processed as a job.',
};

/** The chosen ID, in whatever type; an expression may give it itself. Blank where the service picks the template. */
export function readTemplate(read: ReadParameter): unknown {
	const chosen = read<unknown>(TEMPLATE.name, '');
	return (isObject(chosen) ? chosen.value : chosen) ?? '';
}
