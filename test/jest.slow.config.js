const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

process.env.ALL_RANDOM_RUNS = '1';

/** Suites that try random cases run here with all of them (test/nodes/numRuns.ts). */
const random = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter(
	(name) =>
		name.endsWith('.test.ts') && readFileSync(join(__dirname, name), 'utf8').includes('numRuns('),
);

/** What takes long: real windows of the rate limit, hostile sizes, the packed package, the long random runs. */
module.exports = {
	...require('./jest.config.js'),
	testMatch: ['**/*.slow.test.ts', ...random.map((name) => `<rootDir>/test/${name}`)],
	testPathIgnorePatterns: [],
	testTimeout: 120_000,
};
