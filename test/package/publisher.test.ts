import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..');
const FILES = [
	'package.json',
	'SECURITY.md',
	'LICENSE',
	'credentials/DocumentIntelligenceApi.credentials.ts',
	'nodes/DocumentIntelligence/DocumentIntelligence.node.json',
	'nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node.json',
];
const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

interface Publisher {
	author: { name: string; email: string };
	homepage: string;
	repository: string;
	documentation: string;
	licenseHolder: string;
}

/** What each file says of the publisher. */
function valuesIn(folder: string) {
	const { author, homepage, repository } = JSON.parse(read(folder, 'package.json')) as {
		author: object;
		homepage: string;
		repository: { url: string };
	};
	const links = FILES.slice(3).flatMap((file) =>
		[...read(folder, file).matchAll(/(?:documentationUrl = |"url": )['"]([^'"]*)/g)].map(
			([, link = '']) => link,
		),
	);
	return {
		author,
		homepage,
		repository: repository.url,
		contact: /by email to ([^,]+),/.exec(read(folder, 'SECURITY.md'))?.[1],
		licenseHolder: /^Copyright \(c\) \d{4} (.*)$/m.exec(read(folder, 'LICENSE'))?.[1],
		links: [...new Set(links)],
	};
}

const expected = ({ author, homepage, repository, documentation, licenseHolder }: Publisher) => ({
	author,
	homepage,
	repository: `git+${repository}.git`,
	contact: author.email,
	licenseHolder,
	links: [`${documentation}#credentials`, documentation],
});

test('all files name the publisher of publisher.json', () => {
	const publisher = JSON.parse(read(repository, '.github/publisher.json')) as Publisher;
	expect(valuesIn(repository)).toEqual(expected(publisher));
});

test('npm run publisher writes another publisher to all files, and changes nothing else', () => {
	const folder = mkdtempSync(join(tmpdir(), 'publisher-'));
	try {
		for (const name of [...FILES, '.github'])
			cpSync(join(repository, name), join(folder, name), { recursive: true });
		const publisher: Publisher = {
			author: { name: 'Ann', email: 'ann@documents.test' },
			homepage: 'https://documents.test',
			repository: 'https://git.documents.test/ann/nodes',
			documentation: 'https://docs.documents.test/nodes',
			licenseHolder: 'Ann Example',
		};
		const write = (text: string) => {
			writeFileSync(join(folder, '.github', 'publisher.json'), text);
			execFileSync('node', [join(folder, '.github', 'publisher.mjs')]);
		};
		write(JSON.stringify(publisher));
		expect(valuesIn(folder)).toEqual(expected(publisher));
		write(read(repository, '.github/publisher.json'));
		for (const name of FILES) expect(read(folder, name)).toBe(read(repository, name));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
