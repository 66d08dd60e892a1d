const { mkdtempSync, rmSync } = require('node:fs');
const { rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { TestEnvironment } = require('jest-environment-node');

// n8n-core reads the name of its folder while it is loaded.
const folder = mkdtempSync(join(tmpdir(), 'n8n-core-'));
process.env.N8N_USER_FOLDER = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const loaded = {};
/** Filled by the first suite that needs it (test/stand-in/startStandIn.ts). */
const standIn = {};

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
		this.global.standIn = standIn;
		// What n8n throws is an error for a suite as well.
		this.global.Error = Error;
	}

	async teardown() {
		// The files of all suites would take seconds to remove at the end of the worker.
		await rm(join(folder, 'binary'), { recursive: true, force: true });
		await super.teardown();
	}
};
