/** The tests that run.ts names, with n8n and the stand-in loaded once for all of them instead of once for each file. */
module.exports = {
	...require('../jest.config.js'),
	rootDir: '../..',
	testMatch: (process.env.MUTATION_TESTS ?? '*')
		.split(' ')
		.map((name) => `<rootDir>/test/nodes/DocumentIntelligence/${name}.test.ts`),
	testEnvironment: require.resolve('./environment.js'),
	moduleNameMapper: {
		...require('../jest.config.js').moduleNameMapper,
		'^(n8n-core|n8n-workflow)$': '<rootDir>/test/mutation/once/$1.js',
		'^@n8n/di$': '<rootDir>/test/mutation/once/di.js',
		'/stand-in/startStandIn$': '<rootDir>/test/mutation/once/startStandIn.js',
	},
	// The stand-in runs until its process does.
	forceExit: true,
};
