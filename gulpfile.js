const { rm } = require('node:fs/promises');

const { dest, src } = require('gulp');

const DIST = 'dist';

/** What an earlier build left behind must not be published. */
exports.clean = async () => await rm(DIST, { recursive: true, force: true });

/** Icons and codex files, which n8n loads beside the compiled node. gulp reads text unless told not to. */
exports.assets = () =>
	src(['nodes/**/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(dest(DIST));
