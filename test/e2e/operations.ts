import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { differences, sums, type Row } from '../../examples/spreadsheet';
import type { Truth } from '../../examples/documents/make/truth';
import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/host';
import { expect, expectEqual, Unavailable } from './checks';
import { documents, realDocuments } from './setting';
import {
	documentIntelligence,
	node,
	NODE,
	readFiles,
	readSorted,
	start,
	workflow,
} from './workflows';

/** A workflow that uses an operation, and the check of its result. */
export interface Use {
	name: string;
	workflow: () => Workflow;
	/** Returns a summary, and throws if a result is not as expected. */
	judge: (items: Array<Record<string, unknown>>, execution: Execution) => Promise<string> | string;
}

function use(
	name: string,
	pattern: string,
	parameters: Record<string, unknown>,
	judge: Use['judge'],
	onError?: string,
): Use {
	return chain(name, pattern, [parameters], judge, onError);
}

/** The node under test several times in a row: the last one is checked. */
function chain(
	name: string,
	pattern: string,
	steps: Array<Record<string, unknown>>,
	judge: Use['judge'],
	onError?: string,
): Use {
	const last = steps.length - 1;
	return {
		name,
		workflow: () =>
			workflow(name, [
				start(),
				...readSorted(pattern),
				...steps.map((parameters, step) =>
					step === last
						? documentIntelligence(parameters, { onError })
						: documentIntelligence(parameters, { id: `Step ${step}`, name: `Step ${step}` }),
				),
			]),
		judge,
	};
}

const submit = { resource: 'job', operation: 'submit' };
const upload = { resource: 'storedFile', operation: 'upload' };
const ofJob = (operation: string, more: Record<string, unknown> = {}) => ({
	resource: 'job',
	operation,
	jobId: '={{ $json.jobId }}',
	...more,
});

/** The expected values of the documents. */
export async function truth(): Promise<Record<string, Truth>> {
	return JSON.parse(await readFile(join(documents, 'truth.json'), 'utf8')) as Record<string, Truth>;
}

export const faceWorkflow = (name: string, selfie: string): Workflow =>
	workflow(
		name,
		[
			start(),
			readFiles(join(documents, selfie), 'selfie', 'Read Selfie'),
			readFiles(join(documents, 'id-card.png'), 'documents', 'Read Document'),
			node('Together', 'n8n-nodes-base.merge', 3, {
				mode: 'combine',
				combineBy: 'combineByPosition',
				options: {},
			}),
			documentIntelligence({ operation: 'faceMatch' }),
		],
		[
			['Start', 'Read Selfie'],
			['Start', 'Read Document'],
			['Read Selfie', 'Together'],
			['Read Document', 'Together', 0, 1],
			['Together', NODE],
		],
	);

/** Every operation on the documents of this project, in all kinds of output. */
export const uses: Use[] = [
	use(
		'Extract, Fields',
		join(documents, '{invoice-*.pdf,letter.docx}'),
		{ operation: 'extract', options: { confidenceThreshold: 80 } },
		async (items) => {
			const known = await truth();
			for (const { fileName, fields, needsReview } of items) {
				const expected = known[String(fileName)]?.fields ?? {};
				const { invoiceNumber, total } = fields as Record<string, unknown>;
				expectEqual(
					{ invoiceNumber, total },
					{ invoiceNumber: expected.invoiceNumber, total: expected.total },
					String(fileName),
				);
				expect(
					typeof needsReview === 'boolean',
					`${String(fileName)} does not say whether it needs a review`,
				);
			}
			expectEqual(items.length, 6, 'documents');
			return `${items.length} documents, number and total as printed`;
		},
	),
	use(
		'Extract, Rows per Line Item',
		join(documents, 'invoice-*.pdf'),
		{ operation: 'extract', output: 'rows' },
		async (items) => {
			const invoices = Object.entries(await truth()).filter(([file]) =>
				/^invoice-.*\.pdf$/.test(file),
			);
			const rows = items as Row[];
			const found = differences(rows, invoices);
			expect(found.length === 0, found.slice(0, 3).join('; '));
			const headers = new Set(items.map((item) => Object.keys(item).join()));
			expectEqual(headers.size, 1, 'different orders of columns');
			for (const { subject, inSpreadsheet, inDocuments } of sums(rows, invoices))
				expectEqual(inSpreadsheet, inDocuments, `sum of ${subject}`);
			return `${rows.length} rows of ${invoices.length} invoices, every amount a number, sums as printed, the same columns on each`;
		},
	),
	use(
		'Extract, Rows per Document',
		join(documents, 'invoice-*.pdf'),
		{ operation: 'extract', output: 'documentRows' },
		async (items) => {
			const known = await truth();
			for (const { fileName, total, lineItems } of items) {
				const { meaning } = known[String(fileName)] ?? {};
				expectEqual(total, meaning?.fields.total, `total of ${String(fileName)}`);
				const lines = JSON.parse(String(lineItems)) as Array<{ amount: number }>;
				expectEqual(
					lines.map(({ amount }) => amount),
					(meaning?.lineItems ?? []).map(({ amount }) => amount),
					`amounts of ${String(fileName)}`,
				);
			}
			expectEqual(items.length, 5, 'rows');
			const headers = new Set(items.map((item) => Object.keys(item).join()));
			expectEqual(headers.size, 1, 'different orders of columns');
			return `${items.length} rows, every total a number, tables as JSON text`;
		},
	),
	use(
		'Extract, Raw',
		join(documents, 'invoice-us.pdf'),
		{ operation: 'extract', output: 'raw' },
		async ([item = {}]) => {
			expect('metadata' in item && 'id' in item, `the keys are ${Object.keys(item).join()}`);
			// In the service's response, each value is in an object with its confidence.
			const { fields } = item.metadata as { fields: Record<string, { value?: unknown }> };
			const { invoiceNumber, total } = (await truth())['invoice-us.pdf']?.fields ?? {};
			expectEqual(
				[fields.invoiceNumber?.value, fields.total?.value],
				[invoiceNumber, total],
				'invoice number and total',
			);
			return `the service's own keys: ${Object.keys(item).join(', ')}, number and total as printed`;
		},
	),
	use(
		'Discover Fields',
		join(documents, 'form.pdf'),
		{ operation: 'zeroShot' },
		async ([item = {}]) => {
			const printed = Object.values((await truth())['form.pdf']?.fields ?? {});
			expectEqual(Object.values(item.fields as object), printed, 'values');
			return `${printed.length} fields, every value as printed`;
		},
	),
	use(
		'Discover Fields, Rows per Field',
		join(documents, 'form.pdf'),
		{ operation: 'zeroShot', output: 'rows', options: { values: 'printed' } },
		async (items) => {
			const printed = Object.values((await truth())['form.pdf']?.fields ?? {});
			expectEqual(
				items.map(({ value }) => value),
				printed,
				'values',
			);
			expect(
				items.every(({ field }) => typeof field === 'string' && field !== ''),
				'a row without the name of its field',
			);
			return `${items.length} rows, every value as printed`;
		},
	),
	use('Classify', join(documents, '*.{pdf,docx,png,jpg}'), { operation: 'classify' }, judgeTypes),
	use(
		'Classify, 20 Files per Request',
		join(documents, '*.{pdf,docx,png,jpg}'),
		{ operation: 'classify', options: { filesPerRequest: 20 } },
		judgeTypes,
	),
	use('Crop', join(documents, 'two-cards.jpg'), { operation: 'crop' }, async (items, execution) => {
		const { documents: printed = [] } = (await truth())['two-cards.jpg'] ?? {};
		expectEqual(items.length, printed.length, 'documents found');
		const images = execution.items(NODE).map(({ binary }) => binary?.data?.mimeType ?? 'no image');
		expect(
			images.every((type) => type.startsWith('image/')),
			`the items carry ${images.join()}`,
		);
		return `${items.length} documents, each with its picture`;
	}),
	use('Split', join(documents, 'bundle.pdf'), { operation: 'split' }, async (items) => {
		const { segments = [] } = (await truth())['bundle.pdf'] ?? {};
		const seen = items.map(({ documentType, firstPage, lastPage }) => [
			String(documentType).toLowerCase(),
			firstPage,
			lastPage,
		]);
		expectEqual(
			seen,
			segments.map(({ documentType, firstPage, lastPage }) => [documentType, firstPage, lastPage]),
			'types and pages',
		);
		return `${items.length} documents, types and pages as in truth.json: ${seen.map(([type, first, last]) => `${String(type)} ${String(first)}–${String(last)}`).join(', ')}`;
	}),
	chain('Job: Submit', join(documents, 'invoice-*.pdf'), [submit], (items) => {
		expectEqual(items.length, 5, 'jobs');
		for (const { jobId, reference, operation, status, fileName } of items)
			expectEqual(
				[typeof jobId, typeof reference, operation, status],
				['string', 'string', 'Extraction', 'Queued'],
				String(fileName),
			);
		return `${items.length} jobs, each with its number and the reference of its file`;
	}),
	chain('Job: Get', join(documents, 'invoice-us.pdf'), [submit, ofJob('get')], ([item = {}]) => {
		expectEqual([item.operation, item.status], ['Extraction', 'Succeeded'], 'the job');
		return `the keys are ${Object.keys(item).join(', ')}`;
	}),
	chain(
		'Job: Get Result, rows of the newest finished job',
		join(documents, 'invoice-de.pdf'),
		[
			submit,
			{ resource: 'job', operation: 'getAll', limit: 1, status: ['succeeded'] },
			ofJob('getResult', { output: 'rows' }),
		],
		async (items) => {
			const { lineItems = [] } = (await truth())['invoice-de.pdf'] ?? {};
			expectEqual(items.length, lineItems.length, 'rows');
			expect(
				items.every(({ fileName }) => fileName === null),
				'a name that the service did not say',
			);
			return `${items.length} rows of a job from the list`;
		},
	),
	chain(
		'Job: Cancel, too late',
		join(documents, 'invoice-us.pdf'),
		[
			submit,
			ofJob('getResult', { options: { includeInputFields: true } }),
			{ ...ofJob('cancel'), jobId: '={{ $json.input.jobId }}' },
		],
		([item = {}]) => {
			const { message = '' } = (item.error ?? {}) as { message?: string };
			expect(message.endsWith(' can no longer be canceled: its status is Succeeded'), message);
			return 'the job that has finished, and what it is';
		},
		'continueRegularOutput',
	),
	chain(
		'Stored File: Upload, then Extract',
		join(documents, 'invoice-us.pdf'),
		[
			upload,
			{ operation: 'extract', inputSource: 'storedFile', reference: '={{ $json.reference }}' },
		],
		async ([item = {}]) => {
			const { invoiceNumber } = (await truth())['invoice-us.pdf']?.fields ?? {};
			const fields = item.fields as Record<string, unknown>;
			expectEqual(
				[item.fileName, fields.invoiceNumber],
				['invoice-us.pdf', invoiceNumber],
				'invoice',
			);
			return 'the invoice by its reference, its number as printed';
		},
	),
	chain(
		'Stored File: Download',
		join(documents, 'portrait.png'),
		[
			upload,
			{ resource: 'storedFile', operation: 'download', reference: '={{ $json.reference }}' },
		],
		([item = {}], execution) => {
			const [file] = execution.items(NODE).map(({ binary }) => binary?.data);
			expectEqual(
				[item.fileName, item.contentType, file?.fileName, file?.mimeType],
				['portrait.png', 'image/png', 'portrait.png', 'image/png'],
				'file',
			);
			return 'the file with its name and type';
		},
	),
	{
		name: 'Match Faces, the same person',
		workflow: () => faceWorkflow('Match Faces, the same person', 'portrait.png'),
		judge: ([item = {}]) => matchedIs(item, true),
	},
	{
		name: 'Match Faces, somebody else',
		workflow: () => faceWorkflow('Match Faces, somebody else', 'portrait-other.png'),
		judge: ([item = {}]) => matchedIs(item, false),
	},
];

async function judgeTypes(
	items: Array<Record<string, unknown>>,
	execution: Execution,
): Promise<string> {
	const known = await truth();
	expectEqual(items.length, 14, 'documents');
	const right = items.filter(({ fileName, documentType }) =>
		sameType(known[String(fileName)]?.documentType, documentType),
	);
	const wrong = items
		.filter((item) => !right.includes(item))
		.map(({ fileName }) => String(fileName));
	// The stand-in classifies by text, and these files have no text, several types or no template.
	expectEqual(
		wrong.sort(),
		[
			'bundle.pdf',
			'form.pdf',
			'portrait-other.png',
			'portrait.png',
			'receipt.jpg',
			'two-cards.jpg',
		],
		'types that are not as in truth.json',
	);
	expect(
		execution.items(NODE).every(({ binary }) => binary?.data !== undefined),
		'an item came without its file',
	);
	return `${items.length} documents with their files, ${right.length} types as in truth.json`;
}

function sameType(one: unknown, other: unknown): boolean {
	const [a, b] = [one, other].map((value) =>
		typeof value === 'string' ? value.toLowerCase().replace(/[^a-z]/g, '') : '',
	);
	return a !== '' && a === b;
}

function matchedIs({ matched, bestScore }: Record<string, unknown>, expected: boolean): string {
	expectEqual(matched, expected, 'matched');
	return `matched ${String(matched)}, score ${String(bestScore)}`;
}

/** The same with third-party documents: each returns a result or a message, and none is lost. */
export const realUses: Use[] = [
	use(
		'Extract, real documents',
		join(realDocuments, '{invoices,office,images,awkward}', '*'),
		{ operation: 'extract' },
		everyFileAnswered,
		'continueRegularOutput',
	),
	use(
		'Classify, real documents',
		join(realDocuments, '{invoices,office,images,identity}', '*'),
		{ operation: 'classify', options: { filesPerRequest: 5 } },
		everyFileAnswered,
		'continueRegularOutput',
	),
	use(
		'Discover Fields, real documents',
		join(realDocuments, '{invoices,office}', '*.pdf'),
		{ operation: 'zeroShot' },
		everyFileAnswered,
		'continueRegularOutput',
	),
	use(
		'Crop, real documents',
		join(realDocuments, 'identity', '*.png'),
		{ operation: 'crop' },
		everyFileHasItems,
		'continueRegularOutput',
	),
	use(
		'Split, real documents',
		join(realDocuments, 'bundle', '*.pdf'),
		{ operation: 'split' },
		coversEveryPage,
		'continueRegularOutput',
	),
];

export function realDocumentsNeeded(): void {
	if (!existsSync(realDocuments))
		throw new Unavailable('there is no folder shared/documents beside the repository');
}

function everyFileAnswered(items: Array<Record<string, unknown>>, execution: Execution): string {
	const sent = execution.items('Read').length;
	expectEqual(items.length, sent, 'items for the files');
	const names = execution.items('Read').map(({ json }) => json.fileName as string);
	const silent = items.filter(
		({ error }, position) =>
			error !== undefined && !JSON.stringify(error).includes(names[position] ?? ''),
	);
	expectEqual(silent, [], 'refusals that do not name their file');
	const paired = execution
		.items(NODE)
		.map(({ pairedItem }) => (pairedItem as { item?: number } | undefined)?.item);
	expectEqual(paired, [...paired.keys()], 'paired items');
	const refused = items.filter(({ error }) => error !== undefined).length;
	return `${sent} files: ${sent - refused} results, ${refused} refusals with a reason`;
}

/** For operations that find any number of documents in a file. */
function everyFileHasItems(items: Array<Record<string, unknown>>, execution: Execution): string {
	const sent = execution.items('Read');
	const paired = execution
		.items(NODE)
		.map(({ pairedItem }) => (pairedItem as { item?: number } | undefined)?.item);
	expectEqual(
		sent.map((_, item) => item).filter((item) => !paired.includes(item)),
		[],
		'files without a result or a refusal',
	);
	const refused = items.filter(({ error }) => error !== undefined).length;
	return `${sent.length} files: ${items.length - refused} results, ${refused} refusals`;
}

/** The segments follow each other without a gap. The service decides how many there are. */
function coversEveryPage(items: Array<Record<string, unknown>>, execution: Execution): string {
	const saw = everyFileHasItems(items, execution);
	expectEqual(
		items.map(({ firstPage }) => firstPage),
		[1, ...items.slice(0, -1).map(({ lastPage }) => Number(lastPage) + 1)],
		'first pages',
	);
	return `${saw}, pages 1 to ${String(items.at(-1)?.lastPage)} without a gap`;
}
