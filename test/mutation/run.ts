/**
 * The mutation check: `npm run mutation`, or with the names of modules, `npm run mutation -- results/rows`.
 *
 * Stryker changes each pure module in every way it knows (a condition turned around, a number off by one, a text
 * emptied) and runs the module's own tests after each change. A change that no test notices is listed, and says
 * either that a test is missing or that the change makes no difference. A run writes the rows of its modules into the
 * table in docs/reliability.md.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { MODULES } from './modules';

type Status =
	'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'RuntimeError' | 'CompileError';

interface Mutant {
	status: Status;
}

const project = join(__dirname, '..', '..');

function mutantsOf(name: string, tests: string): Mutant[] {
	console.log(`\n${name}`);
	const { status } = spawnSync(
		process.execPath,
		[
			join(project, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js'),
			'run',
			'test/mutation/stryker.config.json',
			'--mutate',
			`nodes/DocumentIntelligence/${name}.ts`,
		],
		{ cwd: project, stdio: 'inherit', env: { ...process.env, MUTATION_TESTS: tests } },
	);
	if (status !== 0) throw new Error(`Stryker ended with ${String(status)} for ${name}.`);
	const { files } = JSON.parse(
		readFileSync(join(project, 'coverage', 'mutation.json'), 'utf8'),
	) as {
		files: Record<string, { mutants: Mutant[] }>;
	};
	return Object.values(files).flatMap(({ mutants }) => mutants);
}

/** What became of the changes of a module. */
interface Counts {
	noticed: number;
	missed: number;
}

function countsOf(mutants: Mutant[]): Counts {
	const count = (...statuses: Status[]) =>
		mutants.filter(({ status }) => statuses.includes(status)).length;
	return {
		noticed: count('Killed', 'Timeout', 'RuntimeError'),
		missed: count('Survived', 'NoCoverage'),
	};
}

function row(name: string, { noticed, missed }: Counts): string {
	const score =
		noticed + missed === 0 ? '–' : `${((100 * noticed) / (noticed + missed)).toFixed(1)} %`;
	return `| ${name} | ${noticed + missed} | ${noticed} | ${missed} | ${score} |`;
}

/** The rows of earlier runs, for modules that are still there. */
function rowsIn(page: string): Map<string, Counts> {
	const rows = page.matchAll(/^\| `([^`]+)` +\| +\d+ \| +(\d+) \| +(\d+) \|/gm);
	return new Map(
		[...rows].flatMap(([, name = '', noticed, missed]): Array<[string, Counts]> =>
			Object.hasOwn(MODULES, name)
				? [[name, { noticed: Number(noticed), missed: Number(missed) }]]
				: [],
		),
	);
}

function tableOf(rows: Map<string, Counts>): string {
	const sorted = [...rows].sort(([one], [other]) => one.localeCompare(other, 'en'));
	const sum = (part: keyof Counts) => sorted.reduce((total, [, counts]) => total + counts[part], 0);
	return [
		'| Module | Changes | Noticed | Not noticed | Score |',
		'| --- | --: | --: | --: | --: |',
		...sorted.map(([name, counts]) => row(`\`${name}\``, counts)),
		row('All', { noticed: sum('noticed'), missed: sum('missed') }),
	].join('\n');
}

function main(chosen: string[]): void {
	const unknown = chosen.filter((name) => !Object.hasOwn(MODULES, name));
	if (unknown.length > 0)
		throw new Error(
			`There is no module ${unknown.join(', ')}; there are ${Object.keys(MODULES).join(', ')}.`,
		);
	const names = chosen.length === 0 ? Object.keys(MODULES) : chosen;
	const measured = new Map<string, Counts>();
	for (const name of names) {
		measured.set(name, countsOf(mutantsOf(name, MODULES[name] ?? '')));
		// After each module, as a run over all takes more than an hour.
		write(measured);
	}
	console.log(`\n${tableOf(measured)}`);
}

function write(measured: Map<string, Counts>): void {
	const file = join(project, 'docs', 'reliability.md');
	const page = readFileSync(file, 'utf8');
	const between = /(<!-- mutation: [^>]*-->\n\n)([^]*)(\n\n<!-- \/mutation -->)/;
	writeFileSync(
		file,
		page.replace(
			between,
			(_, begin: string, table: string, end: string) =>
				begin + tableOf(new Map([...rowsIn(table), ...measured])) + end,
		),
	);
}

main(process.argv.slice(2));
