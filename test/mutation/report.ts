/** Writes the result of the mutation check into docs/reliability.md: `npm run mutation`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Mutant {
	status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'RuntimeError' | 'CompileError' | 'Pending';
}

const project = join(__dirname, '..', '..');
const page = join(project, 'docs', 'reliability.md');
const MODULES = 'nodes/DocumentIntelligence/';

const { files } = JSON.parse(readFileSync(join(project, 'coverage', 'mutation.json'), 'utf8')) as {
	files: Record<string, { mutants: Mutant[] }>;
};

function line(name: string, mutants: Mutant[]): string {
	const count = (...statuses: Array<Mutant['status']>) => mutants.filter(({ status }) => statuses.includes(status)).length;
	const found = count('Killed', 'Timeout', 'RuntimeError');
	const missed = count('Survived', 'NoCoverage');
	const share = found + missed === 0 ? '–' : `${((100 * found) / (found + missed)).toFixed(1)} %`;
	return `| ${name} | ${found + missed} | ${found} | ${missed} | ${share} |`;
}

const table = [
	'| Module | Changes | Noticed | Not noticed | Score |',
	'|---|--:|--:|--:|--:|',
	...Object.entries(files)
		.sort(([a], [b]) => a.localeCompare(b, 'en'))
		.map(([name, { mutants }]) => line(`\`${name.replace(MODULES, '')}\``, mutants)),
	line('All', Object.values(files).flatMap(({ mutants }) => mutants)),
].join('\n');

const before = readFileSync(page, 'utf8');
const after = before.replace(/(<!-- mutation: [^>]*-->\n)[^]*(\n<!-- \/mutation -->)/, (_, begin: string, end: string) => begin + table + end);
writeFileSync(page, after);
console.log(table);
