import {
	isOpen,
	type DocumentBase,
	type Ended,
	type FileInput,
	type FilePart,
	type Named,
	type Open,
	type Ready,
	type Settings,
} from '../document/document';
import { followLink } from '../files/links';
import { checkFile, remarkOnType } from '../files/inputFiles';
import type { Operation } from '../operations/operation';
import { checkRoute } from '../operations/settings';
import type { DocumentError } from '../text/errors';
import type { Note } from '../text/notes';
import { subjectOf } from '../text/words';
import type { Run } from './run';

/** Follows the links of a document and checks what they lead to. One without links is returned unchanged. */
export async function load(run: Run, document: Open | Ended): Promise<Ready | Ended> {
	const { end, context } = run;
	if (isOpen(document) && end.signal.aborted) return end.fail(document, end.signal.reason);
	if (document.state !== 'planned') return document;
	const { inputs, ...planned } = document;
	const { maxFileBytes: maxBytes, timeoutSeconds: seconds } = planned.settings;
	const files = { helpers: context.helpers, signal: end.signal };
	const limits = { maxBytes, seconds };
	try {
		const followed = await Promise.all(
			inputs.map(async ({ formField, file }) => ({
				formField,
				file: file.kind === 'link' ? await followLink(files, file, limits) : file,
			})),
		);
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
	const { settings } = planned;
	const reasons = new Map(inputs.map((input) => [input, reasonToSkip(operation, input, settings)]));
	const remaining = inputs.filter((input) => reasons.get(input) === undefined);
	const notesOnSkipped = [...reasons].flatMap(([input, reason]) =>
		reason === undefined ? [] : noteOnSkipped(namedByFiles([input]).subject, reason),
	);
	const notesOnTypes = remaining.flatMap(({ file }): Note[] => {
		const entry = file.kind === 'file' ? remarkOnType(file) : undefined;
		return entry === undefined ? [] : [{ kind: 'types', entry }];
	});
	const notes = [...planned.notes, ...notesOnSkipped, ...notesOnTypes];
	const hasNoFile = isWithoutFiles(inputs, settings);
	if (hasNoFile) notes.push(noteOnSkipped('an item', 'no file'));
	const base = { ...planned, notes };
	const isFilled = inputs.every(({ formField }) =>
		remaining.some((part) => part.formField === formField),
	);
	if (hasNoFile || !isFilled) return { ...base, state: 'skipped', loaded: null };
	try {
		const named = { ...base, ...(operation.nameOf?.(base.item) ?? namedByFiles(remaining)) };
		const files = remaining.map(({ file }) => file);
		const parts = remaining.flatMap(({ formField, file }) =>
			file.kind === 'file' ? [{ formField, file }] : [],
		);
		const hasLinks = files.some(({ kind }) => kind === 'link');
		const failure =
			failureIn(files, settings.maxFileBytes) ??
			checkRoute(operation, named, session.account.isSandbox) ??
			(hasLinks ? undefined : await operation.checkFiles?.(parts, end.signal));
		if (failure !== undefined) return end.fail(named, failure);
		const stored = files.find((file) => file.kind === 'stored') ?? null;
		const skippedFiles = [...reasons.values()].filter((reason) => reason === UNSUPPORTED).length;
		return { ...named, state: 'ready', parts, stored, skippedFiles };
	} catch (thrown) {
		return end.fail(base, thrown);
	}
}

/** Of the first file that is missing or unsuitable. */
function failureIn(files: FileInput[], maxBytes: number): DocumentError | undefined {
	for (const file of files) {
		if (file.kind === 'missing') return file.failure;
		const failure = file.kind === 'file' ? checkFile(file, maxBytes) : undefined;
		if (failure !== undefined) return failure;
	}
	return undefined;
}

function noteOnSkipped(name: string, reason: string): Note {
	return { kind: 'skipped', entry: `${name} (${reason})` };
}

const UNSUPPORTED = 'unsupported file type';

function reasonToSkip(
	{ chosenField }: Operation,
	{ formField, file }: FilePart<FileInput>,
	{ isWantedName, ignoresUnsupportedFiles }: Settings,
): string | undefined {
	if (file.kind !== 'file') return undefined;
	const isChosen = formField === chosenField;
	if (!isChosen && isWantedName?.(file.name) === false) return "not in 'File Names'";
	// One that only has the name of a document is a failure.
	const isUnsupported = file.type === undefined && file.declared === undefined;
	return ignoresUnsupportedFiles && isUnsupported ? UNSUPPORTED : undefined;
}

/** Whether the item has no file at all, and an option says that this is expected. */
function isWithoutFiles(inputs: Array<FilePart<FileInput>>, settings: Settings): boolean {
	const isExpected = settings.isWantedName !== null || settings.ignoresUnsupportedFiles;
	return isExpected && inputs.every(({ file }) => file.kind === 'missing' && file.isOfEmptyItem);
}

/** Only the subject shows a link: its name is not yet that of a file. The failure of a missing file says which one it is. */
export function namedByFiles(inputs: Array<FilePart<FileInput>>): Named {
	const names = inputs.flatMap(({ file }) => (file.kind === 'missing' ? [] : `"${file.name}"`));
	const first = inputs[0]?.file;
	const isNamed = first?.kind === 'file' || first?.kind === 'stored';
	return { subject: subjectOf(names), fileName: isNamed ? first.name : null };
}
