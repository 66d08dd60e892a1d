import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { LedgerMemory } from '../../nodes/DocumentIntelligence/run/ledger/memory';
import { runNode, storeFile, useBinaryMode } from '../n8n-core/runNode';
import { types } from '../n8n-core/withoutBundler';
import { startScriptedServer } from '../nodes/scriptedServer';

/**
 * `npm run values -- list.json …`: runs lists of printed values, whose truth a person wrote down, through the node, and
 * tells what became of them. A list has papers (`paper`, `values`), or single values (`value`, `field`, `context`).
 * `expected` is a number, a date, `{ "text": true }`, `{ "uncertain": true }` or `{ "oneOf": […] }`.
 */

type Expected = number | string | { text?: unknown; uncertain?: unknown; oneOf?: Expected[] };

interface Value {
	field?: string;
	value: string;
	expected: Expected;
	kind?: string;
	needed?: boolean;
	context?: Record<string, string>;
}

interface Paper {
	paper: string;
	everyday?: boolean;
	values: Value[];
	context?: Record<string, string>;
}

interface Outcome extends Value {
	paper: Paper;
	result: unknown;
	isListed: boolean;
	verdict: 'right' | 'wrong' | 'unlisted' | 'text' | 'needless';
}

async function main(): Promise<void> {
	await useBinaryMode('filesystem');
	for (const path of process.argv.slice(2)) {
		const list = JSON.parse(await readFile(path, 'utf8')) as Array<Paper | Value>;
		const papers = list.map((entry): Paper => {
			if ('values' in entry) return entry;
			const { field = 'printed', context } = entry;
			return { paper: field, values: [{ ...entry, field }], context };
		});
		report(basename(path), papers, await outcomesOf(papers));
	}
}

function report(name: string, papers: Paper[], outcomes: Outcome[]): void {
	for (const { paper, field, value, kind = '', result, isListed, expected, verdict } of outcomes) {
		if (verdict === 'right') continue;
		const shown = `${JSON.stringify(result)}${isListed ? ' (listed)' : ''}`;
		const truth = JSON.stringify(expected);
		console.log(`${verdict}: ${paper.paper} | ${field} | ${value} | ${kind} | ${shown} | ${truth}`);
	}
	const counted = new Map<string, number>();
	for (const { verdict, kind = 'value' } of outcomes) {
		const key = verdict === 'wrong' ? `wrong ${kind}` : verdict;
		counted.set(key, (counted.get(key) ?? 0) + 1);
	}
	const everyday = papers.filter((paper) => paper.everyday);
	const lacking = (paper: Paper, isLacking: (outcome: Outcome) => boolean) =>
		outcomes.some((outcome) => outcome.paper === paper && isLacking(outcome));
	const isText = ({ needed, verdict }: Outcome) =>
		needed === true && (verdict === 'text' || verdict === 'unlisted');
	const incomplete = everyday.filter((paper) =>
		lacking(paper, (outcome) => isText(outcome) || outcome.verdict === 'wrong'),
	);
	const unlisted = papers.filter((paper) =>
		lacking(paper, (outcome) => isText(outcome) && !outcome.isListed),
	);
	console.log({ name, values: outcomes.length, ...Object.fromEntries(counted) });
	if (everyday.length === 0) return;
	console.log({
		complete: `${everyday.length - incomplete.length} of ${everyday.length}`,
		incomplete: incomplete.map(({ paper }) => paper).join(', '),
		'needed and unlisted': unlisted.map(({ paper }) => paper).join(', '),
	});
}

function alternatives(expected: Expected): Expected[] {
	return typeof expected === 'object' && expected.oneOf ? expected.oneOf : [expected];
}

function verdictOf(value: Value, result: unknown, isListed: boolean): Outcome['verdict'] {
	const all = alternatives(value.expected);
	const may = (what: 'text' | 'uncertain') =>
		all.some((each) => typeof each === 'object' && each[what] !== undefined);
	// A time that is printed beside a date stays, whether the list has it or not.
	const day =
		typeof result === 'string' ? result.replace(/(?<=^\d{4}-\d\d-\d\d)T[\d:]+$/, '') : result;
	const isExpected = all.some(
		(each) => each === result || each === day || (each === 0 && result === 0),
	);
	const isConverted = result !== value.value || (isExpected && !isListed);
	if (isConverted) return isExpected ? 'right' : 'wrong';
	if (isListed) return may('uncertain') ? 'right' : may('text') ? 'needless' : 'text';
	return may('text') ? 'right' : 'unlisted';
}

/** Sends each paper as a file of its own, to a server that answers with what the paper has. */
async function outcomesOf(papers: Paper[]): Promise<Outcome[]> {
	const server = await startScriptedServer({
		otherwise: (response) => {
			const body = server.received.at(-1)?.body.toString('latin1') ?? '';
			const paper = papers[Number(/filename="(\d+)\.pdf"/.exec(body)?.[1])];
			const data = { metadata: paper && documentOf(paper) };
			const meta = { httpStatusCode: 200, messages: [] };
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ data, meta, hasErrors: false }));
		},
	});
	try {
		const { items } = await runNode({
			parameters: { operation: 'extract', output: 'fields', options: { values: 'typed' } },
			items: await Promise.all(
				papers.map(async (_, number) => ({
					json: {},
					// Different bytes, so that no document counts as a copy of another.
					binary: { data: await pdfOf(number) },
				})),
			),
			credential: {
				apiKey: 'xtkt_live_valid',
				region: 'custom',
				baseUrl: server.url,
				requestsPerMinute: 1_000_000,
				concurrentRequests: 20,
			},
			types,
			memory: new LedgerMemory(Date.now),
		});
		return papers.flatMap((paper, number) => outcomesIn(paper, items[number]?.json ?? {}));
	} finally {
		server.close();
	}
}

async function pdfOf(number: number) {
	return await storeFile(
		Buffer.from(`%PDF-1.4\n% ${number}\n%%EOF`),
		`${number}.pdf`,
		'application/pdf',
	);
}

/** A cell is `table.row.column`; a paper may have a name twice. */
function stepsOf(field: string): [string] | [table: string, row: number, column: string] {
	const [, table, row, column] = /^(.+?)\.(\d+)\.(.+)$/.exec(field) ?? [];
	return table !== undefined && column !== undefined ? [table, Number(row), column] : [field];
}

function documentOf({ values, context = {} }: Paper): IDataObject {
	const fields: IDataObject = { ...context };
	for (const { field = '', value } of values) {
		const [name, row, column] = stepsOf(field);
		if (row === undefined || column === undefined) fields[name] = value;
		else {
			const rows = (fields[name] ??= []) as IDataObject[];
			while (rows.length <= row) rows.push({});
			(rows[row] ??= {})[column] = value;
		}
	}
	return { fields };
}

function outcomesIn(paper: Paper, json: IDataObject): Outcome[] {
	const fields = json.fields as IDataObject | undefined;
	if (fields === undefined)
		throw new Error(`No result for ${paper.paper}: ${JSON.stringify(json)}`);
	const listed = new Set(json.uncertainFields as string[]);
	return paper.values.map((value): Outcome => {
		const [name, row, column] = stepsOf(value.field ?? '');
		const isCell = row !== undefined && column !== undefined;
		const result = isCell ? (fields[name] as IDataObject[])[row]?.[column] : fields[name];
		const path = isCell ? `${name}[${row}].${column}` : name;
		const isListed = listed.has(`fields.${path}`) || listed.has(path);
		return { ...value, paper, result, isListed, verdict: verdictOf(value, result, isListed) };
	});
}

void main();
