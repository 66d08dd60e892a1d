import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

// n8n's own rules over what is published, as its verification applies them; typescript-eslint over everything.
const published = ['nodes/**/*.ts', 'credentials/**/*.ts', 'package.json'];

/** What outlives a run on purpose. Each has a bound, or holds only what something else keeps alive. */
const stores = [
	...['processLimiters', 'processPolls', 'processLocks', 'processMemory', 'slots'],
	...['grantedLimits', 'hashes'],
	// Made once from constants, and the start of the present slice of work.
	...['ADDED', 'known', 'knownMonths', 'knownWeekdays', 'sliceStart'],
];
const isStore = `:not([id.name=/^(${stores.join('|')})$/])`;
const atTopLevel = ':matches(Program, ExportNamedDeclaration) > VariableDeclaration';

/** An n8n process runs for months, and all executions share it. */
const longLived = [
	{
		selector: `${atTopLevel}[kind="let"] > VariableDeclarator${isStore}`,
		message: 'State of a module outlives every run. Keep it in the run, or list it as a store.',
	},
	{
		selector: `${atTopLevel} > VariableDeclarator${isStore} > NewExpression[callee.name!=/^(Set|RegExp|Uint8Array|.*Error)$/]`,
		message: 'An object of a module outlives every run. Keep it in the run, or list it as a store.',
	},
	{
		selector: 'MemberExpression[property.name=/^(getBinaryDataBuffer|binaryToBuffer)$/]',
		message: 'This reads a whole file into memory. Read it piece by piece (files/content.ts).',
	},
];

const listeners = {
	selector: 'MemberExpression[property.name=/^(addEventListener|on|once)$/]',
	message: 'A listener that is not removed keeps its run alive. Use onAbort (waiting/waiting.ts).',
};

const concurrency = {
	selector:
		'CallExpression[callee.object.name="Promise"][callee.property.name=/^all/][arguments.0.type!="ArrayExpression"]',
	message: 'As many at a time as there are entries. Use Slots (waiting/waiting.ts).',
};

export default defineConfig(
	{ ignores: ['dist/', 'node_modules/', 'coverage/', 'examples/output/'] },
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
		rules: {
			'@typescript-eslint/array-type': ['error', { default: 'array-simple' }],
			// A default for a parameter of the user stands for an empty text as well.
			'@typescript-eslint/prefer-nullish-coalescing': [
				'error',
				{ ignorePrimitives: { string: true } },
			],
		},
		languageOptions: {
			parserOptions: { project: 'test/tsconfig.json', tsconfigRootDir: import.meta.dirname },
		},
	},
	{
		files: ['**/*.{js,mjs}'],
		extends: [tseslint.configs.recommended],
		rules: { '@typescript-eslint/no-require-imports': 'off' },
	},
	// A function does one thing that can be said in a sentence.
	{ files: ['nodes/**/*.ts', 'credentials/**/*.ts'], rules: { complexity: ['error', 15] } },
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: { 'no-restricted-syntax': ['error', ...longLived, listeners, concurrency] },
	},
	{
		files: ['nodes/DocumentIntelligence/waiting/**'],
		rules: { 'no-restricted-syntax': ['error', ...longLived] },
	},
	{
		files: published,
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		languageOptions: { parser: tseslint.parser },
	},
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{ files: ['package.json'], rules: n8nNodesBase.configs.community.rules },
	// n8n's verification turns these rules off, too: they apply only to n8n's own repository.
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
);
