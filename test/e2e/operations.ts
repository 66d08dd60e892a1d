import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { join, resolve } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/host';
import { expectEqual } from './checks';
import { documents, invoices, realDocuments, truth } from './setting';
import {
	documentIntelligence,
	node,
	NODE,
	readFiles,
	readSorted,
	start,
	workflow,
} from './workflows';

/**
 * A workflow that uses an operation in a real n8n. Its items are compared between hosts; what they say in detail is
 * proven by the suites of the operation and, in each kind of output, by the examples.
 */
export interface Use {
	name: string;
	workflow: () => Workflow;
	/** Returns a summary, and throws if a result is not as expected. */
	judge: (execution: Execution) => string;
}

/** @param steps parameters of the node under test, several times in a row: the last one is judged */
function use(
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
				...readSorted(resolve(documents, pattern)),
				...steps.map((parameters, step) =>
					step === last
						? documentIntelligence(parameters, { onError })
						: documentIntelligence(parameters, { id: `Step ${step}`, name: `Step ${step}` }),
				),
			]),
		judge,
	};
}

/** So many items, in whose JSON these texts appear. */
function shows(count: number, ...texts: Array<string | undefined>): Use['judge'] {
	return (execution) => {
		const items = execution.items(NODE).map(({ json }) => json);
		expectEqual(items.length, count, 'items');
		const shown = JSON.stringify(items);
		expectEqual(
			texts.filter((text) => !shown.includes(text ?? '')),
			[],
			`texts that are not in ${shown.slice(0, 2000)}`,
		);
		return `${count} ${count === 1 ? 'item' : 'items'}`;
	};
}

export const faceWorkflow = (): Workflow =>
	workflow(
		'Match Faces',
		[
			start(),
			readFiles(join(documents, 'portrait.png'), 'selfie', 'Read Selfie'),
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

const extract = { operation: 'extract' };
const submit = { resource: 'job', operation: 'submit' };
const ofJob = (operation: string, more: Record<string, unknown> = {}) => ({
	resource: 'job',
	operation,
	jobId: '={{ $json.jobId }}',
	...more,
});
const upload = { resource: 'storedFile', operation: 'upload' };
const reference = '={{ $json.reference }}';
const { lineItems = [] } = truth['invoice-de.pdf'] ?? {};

/** Two files that succeed, one of an unsupported type, and one without a matching template. */
export const MIXED = '{invoice-de.pdf,invoice-us.pdf,notes.txt,portrait.png}';

/** Every operation on the documents of this project, and what becomes of files that fail. */
export const uses: Use[] = [
	use(
		'Extract',
		'{invoice-*.pdf,letter.docx}',
		[{ ...extract, options: { confidenceThreshold: 80 } }],
		shows(
			invoices.length + 1,
			...invoices.flatMap(([, { fields }]) => [fields?.invoiceNumber, fields?.total]),
			'"needsReview":',
		),
	),
	use(
		'Discover Fields',
		'form.pdf',
		[{ operation: 'zeroShot' }],
		shows(1, ...Object.values(truth['form.pdf']?.fields ?? {})),
	),
	use(
		'Classify',
		'*.{pdf,docx,png,jpg}',
		[{ operation: 'classify', options: { filesPerRequest: 20 } }],
		shows(14, '"documentType":"Contract"', '"documentType":"Invoice"'),
	),
	use('Crop', 'two-cards.jpg', [{ operation: 'crop' }], shows(2, 'two-cards.jpg')),
	use('Split', 'bundle.pdf', [{ operation: 'split' }], shows(5, 'bundle-5-Invoice.pdf')),
	{ name: 'Match Faces', workflow: faceWorkflow, judge: shows(1, '"matched":true') },
	use(
		'Job: Submit, Get, and Cancel too late',
		'invoice-us.pdf',
		[submit, ofJob('get'), ofJob('cancel')],
		shows(1, ' can no longer be canceled: its status is Succeeded'),
		'continueRegularOutput',
	),
	use(
		'Job: Get Many and Get Result, rows of the newest finished job',
		'invoice-de.pdf',
		[
			submit,
			{ resource: 'job', operation: 'getAll', limit: 1, status: ['succeeded'] },
			ofJob('getResult', { output: 'rows' }),
		],
		// The service does not say the name of the file.
		shows(lineItems.length, '"fileName":null'),
	),
	use(
		'Stored File: Upload, then Extract',
		'invoice-us.pdf',
		[upload, { ...extract, inputSource: 'storedFile', reference }],
		shows(1, 'invoice-us.pdf', 'INV-2026-0117'),
	),
	use(
		'Stored File: Download',
		'portrait.png',
		[upload, { resource: 'storedFile', operation: 'download', reference }],
		shows(1, '"fileName":"portrait.png"', '"contentType":"image/png"'),
	),
	use(
		'On Error: Continue',
		MIXED,
		[extract],
		(execution) => {
			const items = execution.items(NODE);
			const paired = items.map(({ pairedItem }) => pairedItem);
			expectEqual(
				paired,
				[0, 1, 2, 3].map((item) => ({ item })),
				'paired items',
			);
			failuresSay(items.filter(({ json }) => json.error !== undefined));
			return '2 results, 2 failures';
		},
		'continueRegularOutput',
	),
	use(
		'On Error: Continue (using error output)',
		MIXED,
		[extract],
		(execution) => {
			const names = execution.items(NODE).map(({ json }) => json.fileName);
			expectEqual(names, ['invoice-de.pdf', 'invoice-us.pdf'], 'files on the first output');
			failuresSay(execution.items(NODE, 1));
			return '2 results, 2 failures';
		},
		'continueErrorOutput',
	),
];

/** A failed item shows its file name and what to do, whatever its fields are called. */
function failuresSay(failed: INodeExecutionData[]): void {
	const said = [
		['notes.txt', 'Ignore Unsupported Files'],
		['portrait.png', 'Discover Fields'],
	];
	expectEqual(failed.length, said.length, 'failed items');
	for (const [position, words] of said.entries()) {
		const json = JSON.stringify(failed[position]?.json);
		expectEqual(
			words.filter((word) => !json.includes(word)),
			[],
			`words that are not in ${json}`,
		);
	}
}

/** The same with third-party documents: each returns a result or a message, and none is lost. */
export const realUses: Use[] = (
	[
		['Extract', '{invoices,office,images,awkward}/*', extract],
		['Classify', '{invoices,office,images,identity}/*', { operation: 'classify' }],
		['Discover Fields', '{invoices,office}/*.pdf', { operation: 'zeroShot' }],
		['Crop', 'identity/*.png', { operation: 'crop' }],
		['Split', 'bundle/*.pdf', { operation: 'split' }],
	] as const
).map(([name, pattern, parameters]) =>
	use(
		`${name}, third-party documents`,
		join(realDocuments, pattern),
		[parameters],
		everyFileAnswered,
		'continueRegularOutput',
	),
);

function everyFileAnswered(execution: Execution): string {
	const sent = execution.items('Read').map(({ json }) => json.fileName as string);
	const items = execution.items(NODE).map(({ json: { error }, pairedItem }) => {
		const { item } = pairedItem as IPairedItemData;
		return { item, says: error === undefined ? undefined : JSON.stringify(error) };
	});
	expectEqual(
		sent.filter((_, item) => !items.some((other) => other.item === item)),
		[],
		'files without a result or a refusal',
	);
	const silent = items.filter(({ item, says }) => says?.includes(sent[item] ?? '') === false);
	expectEqual(silent, [], 'refusals that do not name their file');
	const refused = items.filter(({ says }) => says !== undefined).length;
	return `${sent.length} files: ${items.length - refused} results, ${refused} refusals with a reason`;
}
