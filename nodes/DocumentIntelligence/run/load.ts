import type {
	DocumentBase,
	Ended,
	FileInput,
	FilePart,
	Named,
	Open,
	Ready,
	Settings,
} from '../document/document';
import { followLink } from '../files/links';
import { checkFile } from '../files/inputFiles';
import { checkRoute } from '../operations/settings';
import type { DocumentError } from '../text/errors';
import type { Note } from '../text/notes';
import { subjectOf } from '../text/words';
import type { Run } from './run';

/** Follows the links of a document and checks what they lead to. A document that is ready is returned unchanged. */
export async function load(run: Run, document: Open): Promise<Ready | Ended> {
	const { end, context } = run;
	if (end.signal.aborted) return end.unsent(document);
	if (document.state === 'ready') return document;
	const { inputs, ...planned } = document;
	const { settings } = planned;
	const files = { helpers: context.helpers, signal: end.signal };
	const limits = { maxBytes: settings.maxFileBytes, seconds: settings.timeoutSeconds };
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

/** Leaves out files that are not wanted, and checks the others. Never throws. */
export async function checkFiles(
	run: Run,
	planned: DocumentBase,
	inputs: Array<FilePart<FileInput>>,
): Promise<Ready | Ended> {
	const { operation, end } = run;
	const { settings } = planned;
	const reasons = new Map(inputs.map((input) => [input, reasonToSkip(input, settings)]));
	const remaining = inputs.filter((input) => reasons.get(input) === undefined);
	const notesOnSkipped = [...reasons].flatMap(([input, reason]) =>
		reason === undefined ? [] : noteOnSkipped(namedByFiles([input]).subject, reason),
	);
	const base: DocumentBase = { ...planned, notes: [...planned.notes, ...notesOnSkipped] };
	if (isWithoutFiles(inputs, settings)) {
		const notes = [...base.notes, noteOnSkipped('an item', 'no file')];
		return { state: 'skipped', document: base, notes };
	}
	const isFilled = inputs.every(({ formField }) =>
		remaining.some((part) => part.formField === formField),
	);
	if (!isFilled) return { state: 'skipped', document: base, notes: base.notes };
	try {
		const named = { ...base, ...(operation.nameOf?.(base.item) ?? namedByFiles(remaining)) };
		const parts = remaining.flatMap(({ formField, file }) =>
			file.kind === 'file' ? [{ formField, file }] : [],
		);
		const failure =
			checkPlan(run, named, remaining) ?? (await operation.checkFiles?.(parts, end.signal));
		if (failure !== undefined) return end.fail(named, failure);
		const files = remaining.map(({ file }) => file);
		const stored = files.find((file) => file.kind === 'stored') ?? null;
		const skipped = [...reasons.values()].filter((reason) => reason === UNSUPPORTED).length;
		return { ...named, state: 'ready', parts, stored, skipped };
	} catch (thrown) {
		return end.fail(base, thrown);
	}
}

/** Why a document cannot be sent, as far as its files are at hand: the first missing or unsuitable file, or its route. */
export function checkPlan(
	{ operation, session }: Run,
	document: DocumentBase,
	inputs: Array<FilePart<FileInput>>,
): DocumentError | undefined {
	const { maxFileBytes } = document.settings;
	for (const { file } of inputs) {
		const failure = checkInput(file, maxFileBytes);
		if (failure !== undefined) return failure;
	}
	return checkRoute(operation, document, session.account.isSandbox);
}

function checkInput(file: FileInput, maxBytes: number): DocumentError | undefined {
	if (file.kind === 'missing') return file.failure;
	return file.kind === 'file' ? checkFile(file, maxBytes) : undefined;
}

function noteOnSkipped(name: string, reason: string): Note {
	return { kind: 'skipped', entry: `${name} (${reason})` };
}

const UNSUPPORTED = 'unsupported file type';

/** A selfie is chosen by its field, whatever its name. */
function reasonToSkip(
	{ formField, file }: FilePart<FileInput>,
	{ isWantedName, ignoresUnsupportedFiles }: Settings,
): string | undefined {
	if (file.kind !== 'file') return undefined;
	if (formField !== 'selfie' && isWantedName?.(file.name) === false) return "not in 'File Names'";
	return ignoresUnsupportedFiles && file.type === undefined ? UNSUPPORTED : undefined;
}

/** Whether the item has no file at all, and an option says that this is expected. */
function isWithoutFiles(inputs: Array<FilePart<FileInput>>, settings: Settings): boolean {
	const isExpected = settings.isWantedName !== null || settings.ignoresUnsupportedFiles;
	return isExpected && inputs.every(({ file }) => file.kind === 'missing' && file.isOfEmptyItem);
}

/** Only the subject shows a link: its name is not yet that of a file. */
export function namedByFiles(inputs: Array<FilePart<FileInput>>): Named {
	const first = inputs[0]?.file;
	const isNamed = first?.kind === 'file' || first?.kind === 'stored';
	return { subject: subjectOf(namesOf(inputs)), fileName: isNamed ? first.name : null };
}

/** In quotes. The failure of a missing file says which one it is. */
function namesOf(inputs: Array<FilePart<FileInput>>): string[] {
	return inputs.flatMap(({ file }) => (file.kind === 'missing' ? [] : [`"${file.name}"`]));
}
