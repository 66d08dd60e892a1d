import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IPairedItemData } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/host';
import { expectEqual, Unavailable } from './checks';
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

/** A workflow that uses an operation. What its items say in detail is compared between hosts, and proven by examples. */
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

const submit = { resource: 'job', operation: 'submit' };
const upload = { resource: 'storedFile', operation: 'upload' };
const ofJob = (operation: string, more: Record<string, unknown> = {}) => ({
	resource: 'job',
	operation,
	jobId: '={{ $json.jobId }}',
	...more,
});

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

function matchFaces(who: string, selfie: string, matched: boolean): Use {
	const name = `Match Faces, ${who}`;
	return {
		name,
		workflow: () => faceWorkflow(name, selfie),
		judge: shows(1, `"matched":${matched}`),
	};
}

const sample = (name: string) => join(documents, name);
const numbers = invoices.map(([, { fields }]) => fields?.invoiceNumber);
const totals = invoices.map(([, { fields }]) => fields?.total);
const linesOf = (file: string) => truth[file]?.lineItems?.length ?? 0;
const lines = invoices.reduce((sum, [file]) => sum + linesOf(file), 0);
const answers = Object.values(truth['form.pdf']?.fields ?? {});
const extract = { operation: 'extract' };

/** Every operation on the documents of this project, in all kinds of output. */
export const uses: Use[] = [
	use(
		'Extract, Fields',
		sample('{invoice-*.pdf,letter.docx}'),
		[{ ...extract, options: { confidenceThreshold: 80 } }],
		shows(invoices.length + 1, ...numbers, ...totals, '"needsReview":'),
	),
	use(
		'Extract, Rows per Line Item',
		sample('invoice-*.pdf'),
		[{ ...extract, output: 'rows' }],
		shows(lines, ...numbers),
	),
	use(
		'Extract, Rows per Document',
		sample('invoice-*.pdf'),
		[{ ...extract, output: 'documentRows' }],
		shows(invoices.length, ...numbers),
	),
	use(
		'Extract, Raw',
		sample('invoice-us.pdf'),
		[{ ...extract, output: 'raw' }],
		shows(1, '"value":"INV-2026-0117"'),
	),
	use('Discover Fields', sample('form.pdf'), [{ operation: 'zeroShot' }], shows(1, ...answers)),
	use(
		'Discover Fields, Rows per Field',
		sample('form.pdf'),
		[{ operation: 'zeroShot', output: 'rows', options: { values: 'printed' } }],
		shows(answers.length, ...answers),
	),
	...[1, 20].map((filesPerRequest) =>
		use(
			`Classify, Files per Request ${filesPerRequest}`,
			sample('*.{pdf,docx,png,jpg}'),
			[{ operation: 'classify', options: { filesPerRequest } }],
			shows(14, '"documentType":"Contract"', '"documentType":"Invoice"'),
		),
	),
	use('Crop', sample('two-cards.jpg'), [{ operation: 'crop' }], shows(2, 'two-cards.jpg')),
	use('Split', sample('bundle.pdf'), [{ operation: 'split' }], shows(5, 'bundle-5-Invoice.pdf')),
	use(
		'Job: Submit',
		sample('invoice-*.pdf'),
		[submit],
		shows(invoices.length, '"operation":"Extraction"', '"status":"Queued"'),
	),
	use(
		'Job: Get',
		sample('invoice-us.pdf'),
		[submit, ofJob('get')],
		shows(1, '"operation":"Extraction"', '"status":"Succeeded"'),
	),
	use(
		'Job: Get Result, rows of the newest finished job',
		sample('invoice-de.pdf'),
		[
			submit,
			{ resource: 'job', operation: 'getAll', limit: 1, status: ['succeeded'] },
			ofJob('getResult', { output: 'rows' }),
		],
		// The service does not say the name of the file.
		shows(linesOf('invoice-de.pdf'), '"fileName":null'),
	),
	use(
		'Job: Cancel, too late',
		sample('invoice-us.pdf'),
		[
			submit,
			ofJob('getResult', { options: { includeInputFields: true } }),
			{ ...ofJob('cancel'), jobId: '={{ $json.input.jobId }}' },
		],
		shows(1, ' can no longer be canceled: its status is Succeeded'),
		'continueRegularOutput',
	),
	use(
		'Stored File: Upload, then Extract',
		sample('invoice-us.pdf'),
		[upload, { ...extract, inputSource: 'storedFile', reference: '={{ $json.reference }}' }],
		shows(1, 'invoice-us.pdf', 'INV-2026-0117'),
	),
	use(
		'Stored File: Download',
		sample('portrait.png'),
		[
			upload,
			{ resource: 'storedFile', operation: 'download', reference: '={{ $json.reference }}' },
		],
		shows(1, '"fileName":"portrait.png"', '"contentType":"image/png"'),
	),
	matchFaces('the same person', 'portrait.png', true),
	matchFaces('somebody else', 'portrait-other.png', false),
];

/** The same with third-party documents: each returns a result or a message, and none is lost. */
export const realUses: Use[] = [
	realUse('Extract', ['{invoices,office,images,awkward}', '*'], extract),
	realUse('Classify', ['{invoices,office,images,identity}', '*'], {
		operation: 'classify',
		options: { filesPerRequest: 5 },
	}),
	realUse('Discover Fields', ['{invoices,office}', '*.pdf'], { operation: 'zeroShot' }),
	realUse('Crop', ['identity', '*.png'], { operation: 'crop' }),
	realUse('Split', ['bundle', '*.pdf'], { operation: 'split' }),
];

function realUse(name: string, pattern: string[], parameters: Record<string, unknown>): Use {
	return use(
		`${name}, real documents`,
		join(realDocuments, ...pattern),
		[parameters],
		everyFileAnswered,
		'continueRegularOutput',
	);
}

export function realDocumentsNeeded(): void {
	if (!existsSync(realDocuments))
		throw new Unavailable('there is no folder shared/documents beside the repository');
}

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
