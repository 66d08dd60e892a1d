/** @type {import('jest').Config} */
module.exports = {
	rootDir: '..',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testEnvironment: 'node',
	// Types are checked by `npm run typecheck`, once for everything.
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json' }] },
	// Most of the time is waiting: for the stand-in, and for windows of the rate limit.
	maxWorkers: '100%',
	testTimeout: 30_000,
};
