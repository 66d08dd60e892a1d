/** @type {import('jest').Config} */
module.exports = {
	rootDir: '..',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testEnvironment: 'node',
	// Types are checked by `npm run typecheck`, once for everything.
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.jest.json' }] },
	// Loaded by a dynamic import, which Node.js wants with its ending and jest finds only without.
	moduleNameMapper: {
		'^\\./cutPages\\.js$': '<rootDir>/nodes/DocumentIntelligence/pdf/cutPages.ts',
	},
	// Most of the time is waiting: for the stand-in, and for windows of the rate limit.
	maxWorkers: '100%',
	testTimeout: 30_000,
};
