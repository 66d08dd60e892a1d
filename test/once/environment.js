const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { TestEnvironment } = require('jest-environment-node');

// n8n-core reads the name of its folder while it is loaded.
const folder = mkdtempSync(join(tmpdir(), 'n8n-core-'));
process.env.N8N_USER_FOLDER = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const loaded = {};

/** A module as Node.js loads it, outside of the suites. */
function once(name) {
	require('reflect-metadata');
	return (loaded[name] ??= require(name));
}

/**
 * Jest loads every module anew for each suite, and n8n-core takes seconds. With this environment a worker loads it once, as soon
 * as a suite asks for it; jest.config.js leads imports of it to the other files of this folder.
 */
module.exports = class extends TestEnvironment {
	async setup() {
		await super.setup();
		this.global.once = once;
		// What n8n throws is an error for a suite as well.
		this.global.Error = Error;
	}
};
