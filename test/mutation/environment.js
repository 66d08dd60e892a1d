/**
 * Jest loads every module anew for each file of tests, and n8n takes seconds. A mutant is judged by a few tests of
 * several files, so here n8n is loaded once for the process, and jest.config.js leads imports of it to this copy.
 */
const { TestEnvironment } = require('jest-environment-node');

require('reflect-metadata');

const sharedPackages = {
	'n8n-core': require('n8n-core'),
	'n8n-workflow': require('n8n-workflow'),
	'@n8n/di': require('@n8n/di'),
};

module.exports = class extends TestEnvironment {
	async setup() {
		await super.setup();
		this.global.sharedPackages = sharedPackages;
	}
};
