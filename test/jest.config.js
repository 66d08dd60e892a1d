/** @type {import('jest').Config} */
module.exports = {
	rootDir: '..',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	// Real windows of the rate limit, hostile sizes, the packed package: test/jest.slow.config.js.
	testPathIgnorePatterns: ['\\.(slow|soak)\\.test\\.ts$'],
	testEnvironment: './test/jestEnvironment/environment.js',
	// Types are checked by `npm run typecheck`, once for everything.
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.jest.json' }] },
	moduleNameMapper: {
		// Loaded by a dynamic import, which Node.js wants with its ending and jest finds only without.
		'^\\./cutPages\\.js$': '<rootDir>/nodes/DocumentIntelligence/pdf/cutPages.ts',
		'^\\.\\./\\.\\./values/values\\.js$': '<rootDir>/nodes/DocumentIntelligence/values/values.ts',
		'^(n8n-core|n8n-workflow)$': '<rootDir>/test/jestEnvironment/$1.js',
		'^@n8n/di$': '<rootDir>/test/jestEnvironment/di.js',
	},
	maxWorkers: '100%',
	testTimeout: 30_000,
	// A worker's memory, about 1 GB, takes a busy machine seconds to release; what a test leaves open takes for ever.
	workerGracefulExitTimeout: 30_000,
};
