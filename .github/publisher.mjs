// Who publishes the package is in publisher.json. `npm run publisher` writes its values to the files that need them.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const publisher = JSON.parse(readFileSync(new URL('publisher.json', import.meta.url), 'utf8'));

/** Values that nobody has set: addresses for examples, and the name of the package in place of a person's. */
export const placeholders = Object.entries({
	'author.name': /^n8n-nodes-|^$/,
	'author.email': /@example\.com$|^$/,
	homepage: /example\.com|^$/,
	repository: /example\.com|^$/,
	documentation: /example\.com|^$/,
	licenseHolder: / n8n-nodes-|^$/,
})
	.filter(([name, placeholder]) => placeholder.test(valueOf(name)))
	.map(([name]) => name);

function valueOf(name) {
	return name.split('.').reduce((value, key) => value?.[key], publisher) ?? '';
}

/** What stands before a value, in each file that has it. */
const places = [
	['package.json', /"author": \{\s*"name": "/, 'author.name'],
	['package.json', /"email": "/, 'author.email'],
	['package.json', /"homepage": "/, 'homepage'],
	['package.json', /"url": "git\+/, 'repository', '.git'],
	['SECURITY.md', /by email to /, 'author.email'],
	['LICENSE', /Copyright \(c\) \d+ /, 'licenseHolder'],
	[
		'credentials/DocumentIntelligenceApi.credentials.ts',
		/documentationUrl = '/,
		'documentation',
		'#credentials',
	],
	...['DocumentIntelligence', 'DocumentIntelligenceTrigger'].flatMap((node) => {
		const file = `nodes/DocumentIntelligence/${node}.node.json`;
		return [
			[file, /"credentialDocumentation": \[\s*\{\s*"url": "/, 'documentation', '#credentials'],
			[file, /"primaryDocumentation": \[\s*\{\s*"url": "/, 'documentation'],
		];
	}),
];

/** Up to what ends a value in these files. */
const VALUE = /[^"'\n]*?(?=["'\n]|, )/;

function write() {
	for (const [file, before, name, suffix = ''] of places) {
		const path = new URL(`../${file}`, import.meta.url);
		const text = readFileSync(path, 'utf8');
		const found = new RegExp(`(${before.source})${VALUE.source}`);
		if (!found.test(text)) throw new Error(`${file} has no place for ${name}`);
		writeFileSync(
			path,
			text.replace(found, (_, start) => `${start}${valueOf(name)}${suffix}`),
		);
	}
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) write();
