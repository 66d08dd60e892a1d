/**
 * The mutation check: `npm run mutation`, or with the names of modules, `npm run mutation -- results/rows`.
 *
 * Stryker changes each pure module in every way it knows (a condition turned around, a number off by one, a text
 * emptied) and runs the module's own tests after each change. A change that no test notices is listed, and says
 * either that a test is missing or that the change makes no difference. The table in docs/reliability.md is written
 * after a run over all modules.
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

function row(name: string, mutants: Mutant[]): string {
	const count = (...statuses: Status[]) =>
		mutants.filter(({ status }) => statuses.includes(status)).length;
	const noticed = count('Killed', 'Timeout', 'RuntimeError');
	const missed = count('Survived', 'NoCoverage');
	const score =
		noticed + missed === 0 ? '–' : `${((100 * noticed) / (noticed + missed)).toFixed(1)} %`;
	return `| ${name} | ${noticed + missed} | ${noticed} | ${missed} | ${score} |`;
}

function main(chosen: string[]): void {
	const unknown = chosen.filter((name) => !Object.hasOwn(MODULES, name));
	if (unknown.length > 0)
		throw new Error(
			`There is no module ${unknown.join(', ')}; there are ${Object.keys(MODULES).join(', ')}.`,
		);
	const results = Object.entries(MODULES)
		.filter(([name]) => chosen.length === 0 || chosen.includes(name))
		.map(([name, tests]) => ({ name, mutants: mutantsOf(name, tests) }));
	const table = [
		'| Module | Changes | Noticed | Not noticed | Score |',
		'| --- | --: | --: | --: | --: |',
		...results.map(({ name, mutants }) => row(`\`${name}\``, mutants)),
		row(
			'All',
			results.flatMap(({ mutants }) => mutants),
		),
	].join('\n');
	console.log(`\n${table}`);
	if (chosen.length > 0) return;
	const page = join(project, 'docs', 'reliability.md');
	const between = /(<!-- mutation: [^>]*-->\n\n)[^]*(\n\n<!-- \/mutation -->)/;
	writeFileSync(
		page,
		readFileSync(page, 'utf8').replace(
			between,
			(_, begin: string, end: string) => begin + table + end,
		),
	);
}

main(process.argv.slice(2));
