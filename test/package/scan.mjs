// Lints a folder as n8n's verification of community packages does, warnings included, and prints what it found.
// usage: node scan.mjs <folder> sources|tarball
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const [folder, what] = process.argv.slice(2);
const patterns = what === 'sources' ? SOURCE_FILE_PATTERNS : ['**/*.js', 'package.json'];

const verdict = await analyzePackage(folder, patterns);
// The verdict passes over warnings.
const eslint = new ESLint({
	cwd: folder,
	allowInlineConfig: false,
	overrideConfigFile: true,
	overrideConfig: await buildScanConfig(),
});
const results = await eslint.lintFiles(patterns);
console.log(
	JSON.stringify({
		passed: verdict.passed,
		linted: results.length,
		expected: filesOf(folder).length,
		messages: results.flatMap(({ filePath, messages }) =>
			messages.map(({ ruleId, severity, line, message }) => ({
				filePath,
				line,
				ruleId,
				severity,
				message,
			})),
		),
	}),
);

function filesOf(path) {
	return readdirSync(path, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((name) =>
			(what === 'sources' ? /package\.json$|\.(js|ts|json)$/ : /package\.json$|\.js$/).test(name),
		);
}
