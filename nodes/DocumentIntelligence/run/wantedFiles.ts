import type { FileInput, FilePart, Named } from '../document/document';
import { checkFile, remarkOnType } from '../files/inputFiles';
import type { DocumentError } from '../text/errors';
import type { Note } from '../text/notes';
import { subjectOf } from '../text/words';
import type { Operation } from '../operations/operation';
import type { Settings } from './settings';

/** The files of a document that the options do not leave out, as far as they are known. */
export function wantedFiles(
	operation: Operation,
	inputs: Array<FilePart<FileInput>>,
	settings: Settings,
) {
	const reasons = new Map(inputs.map((input) => [input, reasonToSkip(operation, input, settings)]));
	const wanted = inputs.filter((input) => reasons.get(input) === undefined);
	const notesOnSkipped = [...reasons].flatMap(([input, reason]) =>
		reason === undefined ? [] : noteOnSkipped(namedByFiles([input]).subject, reason),
	);
	const notesOnTypes = wanted.flatMap(({ file }): Note[] => {
		const entry = file.kind === 'file' ? remarkOnType(file) : undefined;
		return entry === undefined ? [] : [{ kind: 'types', entry }];
	});
	const notes = [...notesOnSkipped, ...notesOnTypes];
	const hasNoFile = isWithoutFiles(inputs, settings);
	if (hasNoFile) notes.push(noteOnSkipped('an item', 'no file'));
	const isFilled = inputs.every(({ formField }) =>
		wanted.some((part) => part.formField === formField),
	);
	const skippedFiles = [...reasons.values()].filter((reason) => reason === UNSUPPORTED).length;
	return { wanted, notes, skippedFiles, isComplete: isFilled && !hasNoFile };
}

/** Of the first file that is missing or unsuitable. */
export function failureIn(files: FileInput[], maxBytes: number): DocumentError | undefined {
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
	{ comparison }: Operation,
	{ formField, file }: FilePart<FileInput>,
	{ isWantedName, ignoresUnsupportedFiles }: Settings,
): string | undefined {
	if (file.kind !== 'file') return undefined;
	const isChosen = formField === comparison?.formField;
	if (!isChosen && isWantedName?.(file.name) === false)
		return `not in 'File Names'${comparison === undefined ? '' : ', so no document'}`;
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
