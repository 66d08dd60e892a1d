/**
 * Jest loads every module anew for each file of tests, and n8n takes seconds. A mutant is judged by a few tests of
 * several files, so here n8n is loaded, and the stand-in started, once for the process; jest.config.js leads imports
 * of them to these.
 */
const { TestEnvironment } = require('jest-environment-node');

require('reflect-metadata');
require('tsx/cjs');

const { startStandIn } = require('../stand-in/startStandIn.ts');

const once = {
	'n8n-core': require('n8n-core'),
	'n8n-workflow': require('n8n-workflow'),
	'@n8n/di': require('@n8n/di'),
	standIn: undefined,
	startStandIn: async () => await (once.standIn ??= startStandIn()),
};

module.exports = class extends TestEnvironment {
	async setup() {
		await super.setup();
		this.global.once = once;
	}
};
