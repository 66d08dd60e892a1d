/** The tests of the pure modules, with n8n loaded once for all of them instead of once for each file. */
module.exports = {
	...require('../jest.config.js'),
	rootDir: '../..',
	testMatch: [
		'**/DocumentIntelligence/inOrder.test.ts',
		'**/DocumentIntelligence/files/{checks,fileNames,fileTypes}.test.ts',
		'**/DocumentIntelligence/operations/options.test.ts',
		'**/DocumentIntelligence/output/*.test.ts',
		'**/DocumentIntelligence/service/{account,envelope,rateWindow,retry}.test.ts',
	],
	testEnvironment: require.resolve('./environment.js'),
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow)$': '<rootDir>/test/mutation/shared/$1.js',
		'^@n8n/di$': '<rootDir>/test/mutation/shared/di.js',
	},
};
