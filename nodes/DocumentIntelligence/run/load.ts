import type { FileInput, FilePart } from '../document/document';
import { followLink } from '../files/links';
import { Slots } from '../waiting/waiting';
import type { DocumentBase, Ended, Open, Ready } from './state';
import { checkRoute } from './settings';
import { failureIn, namedByFiles, wantedFiles } from './wantedFiles';
import { FATES } from './ledger/left';
import type { Run } from './run';

/** Of one document. */
const LINKS_AT_A_TIME = 5;

/** Follows the links of a document and checks what they lead to. One without links is returned unchanged. */
export async function load(run: Run, document: Open | Ended): Promise<Ready | Ended> {
	const { end, context } = run;
	if (document.state !== 'planned') return document;
	if (end.sending.aborted) return end.fail(document, end.sending.reason);
	const { inputs, ...planned } = document;
	const { maxFileBytes: maxBytes, timeoutSeconds: seconds } = planned.settings;
	const files = { helpers: context.helpers, signal: end.sending };
	const limits = { maxBytes, seconds };
	try {
		const followed = await new Slots(LINKS_AT_A_TIME).map(inputs, async ({ formField, file }) => ({
			formField,
			file: file.kind === 'link' ? await followLink(files, file, limits) : file,
		}));
		return await checkFiles(run, planned, followed);
	} catch (thrown) {
		return end.fail(document, thrown);
	}
}

/** Checks all that can be checked before links are followed. What they lead to is checked by {@link load}. */
export async function checkDocument(
	run: Run,
	base: DocumentBase,
	inputs: Array<FilePart<FileInput>>,
): Promise<Open | Ended> {
	const checked = await checkFiles(run, base, inputs);
	const hasLinks = inputs.some(({ file }) => file.kind === 'link');
	return hasLinks && checked.state === 'ready' ? { ...base, state: 'planned', inputs } : checked;
}

/** Leaves out files that are not wanted, and checks the others and the route, as far as files are at hand. Never throws. */
async function checkFiles(
	{ operation, session, end }: Run,
	planned: DocumentBase,
	inputs: Array<FilePart<FileInput>>,
): Promise<Ready | Ended> {
	const { wanted, notes, isComplete, skippedFiles } = wantedFiles(
		operation,
		inputs,
		planned.settings,
	);
	const base = { ...planned, notes: [...planned.notes, ...notes] };
	if (!isComplete) return { ...base, state: 'skipped', left: FATES.untouched };
	try {
		const named = { ...base, ...(operation.nameOf?.(base.item) ?? namedByFiles(wanted)) };
		const files = wanted.map(({ file }) => file);
		const parts = wanted.flatMap(({ formField, file }) =>
			file.kind === 'file' ? [{ formField, file }] : [],
		);
		const hasLinks = files.some(({ kind }) => kind === 'link');
		const failure =
			failureIn(files, planned.settings.maxFileBytes) ??
			checkRoute(operation, named, session.account.isSandbox) ??
			(hasLinks ? undefined : await operation.comparison?.check(parts, end.sending));
		if (failure !== undefined) return end.fail(named, failure);
		const stored = files.find((file) => file.kind === 'stored') ?? null;
		return { ...named, state: 'ready', parts, stored, skippedFiles };
	} catch (thrown) {
		return end.fail(base, thrown);
	}
}
