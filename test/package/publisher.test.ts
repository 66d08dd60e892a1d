import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ANN, repository, textOf } from './repository';

const LINKS = [
	'"url": "https://docs.documents.test/nodes#credentials"',
	'"url": "https://docs.documents.test/nodes"',
];

/** What each file says of Ann, line by line. */
const LINES_OF_ANN: Record<string, unknown[]> = {
	'package.json': [
		'"name": "Ann",',
		'"email": "ann@documents.test"',
		'"homepage": "https://documents.test",',
		'"url": "git+https://git.documents.test/ann/nodes.git"',
	],
	'SECURITY.md': [expect.stringContaining('by email to ann@documents.test,')],
	LICENSE: [expect.stringMatching(/^Copyright \(c\) \d{4} Ann Example$/)],
	'credentials/DocumentIntelligenceApi.credentials.ts': [
		"documentationUrl = 'https://docs.documents.test/nodes#credentials';",
	],
	'nodes/DocumentIntelligence/DocumentIntelligence.node.json': LINKS,
	'nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node.json': LINKS,
};
const FILES = Object.keys(LINES_OF_ANN);

const folder = mkdtempSync(join(tmpdir(), 'publisher-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a copy of the repository after `npm run publisher` with this publisher.json. */
function filesFor(publisher: string): Record<string, string> {
	for (const name of [...FILES, '.github'])
		cpSync(join(repository, name), join(folder, name), { recursive: true });
	writeFileSync(join(folder, '.github', 'publisher.json'), publisher);
	execFileSync('node', [join(folder, '.github', 'publisher.mjs')]);
	return Object.fromEntries(FILES.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

test('all files name the publisher of publisher.json', () => {
	const files = Object.fromEntries(FILES.map((name) => [name, textOf(name)]));
	expect(filesFor(textOf('.github/publisher.json'))).toEqual(files);
});

test('npm run publisher writes another publisher to all files, and changes nothing else', () => {
	const changed = Object.entries(filesFor(JSON.stringify(ANN))).map(([name, text]) => {
		const before = textOf(name).split('\n');
		const after = text.split('\n');
		expect(after).toHaveLength(before.length);
		return [name, after.filter((line, at) => line !== before[at]).map((line) => line.trim())];
	});
	expect(Object.fromEntries(changed)).toEqual(LINES_OF_ANN);
});
