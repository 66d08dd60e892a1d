import { createRequire } from 'node:module';
import { join } from 'node:path';

import type {
	INode,
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';

import { installN8n } from '../n8n/install';
import type { N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { documentOperations as operations } from '../../nodes/DocumentIntelligence/operations/document';
import { check, expect, expectEqual } from './checks';
import { NODE_TYPE } from './workflows';

/** Options that concern files, or items that an agent does not have. */
const PASSING_FILES = new Set(['ignoreUnsupportedFiles', 'includeInputFile', 'includeInputFields']);

/** Checks the defaults of the tool that each n8n creates from the node for AI agents. */
export async function checkTool(server: Server, version: N8nVersion): Promise<void> {
	await check(`As a tool of an agent in n8n ${version}`, async () => {
		const { folder } = await installN8n(version);
		const load = createRequire(join(folder, 'node_modules', 'n8n', 'package.json'));
		const { NodeHelpers: helpers } = load('n8n-workflow') as { NodeHelpers: typeof NodeHelpers };
		const [plain, tool] = await Promise.all(
			[NODE_TYPE, `${NODE_TYPE}Tool`].map(async (name) => await server.nodeType(name)),
		);
		expect(plain !== undefined && tool !== undefined, 'n8n derives no tool from the node');

		const begin = (type: INodeTypeDescription, values: INodeParameters) =>
			helpers.getNodeParameters(type.properties, values, true, false, made(type, values), type);
		/** The visible entries of a list or of the options. */
		const offered = (type: INodeTypeDescription, values: INodeParameters, name: string) =>
			type.properties
				.filter(
					(property) =>
						property.name === name &&
						helpers.displayParameter(values, property, made(type, values), type, values),
				)
				.flatMap(({ options = [] }) => options as INodeProperties[])
				.filter((option) =>
					helpers.displayParameter(values, option, made(type, values), type, values),
				)
				.map((option) => ('value' in option ? String(option.value) : option.name));
		for (const { value: operation } of operations) {
			expectEqual(begin(plain, { operation })?.inputSource, 'binaryField', `node, ${operation}`);
			expectEqual(begin(tool, { operation })?.inputSource, 'fileUrl', `tool, ${operation}`);
			const values = { ...begin(tool, { operation }) };
			const sources = offered(tool, values, 'inputSource');
			expect(!sources.includes('binaryField'), `the tool offers ${sources.join()}`);
			const options = offered(tool, values, 'options').filter((name) => PASSING_FILES.has(name));
			expectEqual(options, [], `options of the tool, ${operation}`);
			const ofNode = offered(plain, { ...begin(plain, { operation }) }, 'options');
			expect(ofNode.includes('includeInputFields'), `the node offers ${ofNode.join()}`);
		}
		return `${operations.length} operations begin with File URL, those of the node with Binary Field`;
	});
}

function made({ name, version }: INodeTypeDescription, parameters: INodeParameters): INode {
	const typeVersion = Array.isArray(version) ? (version.at(-1) ?? 1) : version;
	return { id: 'tool', name: 'Tool', type: name, typeVersion, position: [0, 0], parameters };
}
