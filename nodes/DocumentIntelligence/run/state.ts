import type { Document, FileInput, FilePart, InputItem, Named, Output } from '../document/document';
import type { DocumentError } from '../text/errors';
import type { Note } from '../text/notes';
import type { Payment } from './ledger/attempts';
import type { Left } from './ledger/left';
import type { Earlier } from './ledger/past';
import type { Route, Settings } from './settings';

/** What is known of a document however early it ends. */
export interface AnyDocument extends Named {
	/** Its number in the run, which is the order of the output. */
	place: number;
	item: InputItem;
	/** What it got before and is used instead of the route; null if there is none. */
	earlier: Earlier | null;
	notes: readonly Note[];
}

export interface DocumentBase extends AnyDocument {
	route: Route;
	settings: Settings;
}

/** A document with links that have not been followed. */
export interface Planned extends DocumentBase {
	state: 'planned';
	inputs: Array<FilePart<FileInput>>;
}

/** A document whose files are checked and at hand. */
export interface Ready extends DocumentBase, Document {
	state: 'ready';
}

/** A document whose files are at hand, whatever its state. */
export type Loaded = Omit<Ready, 'state'>;

interface AnyEnd extends AnyDocument {
	left: Left;
	paid?: Payment;
}

/** A document that becomes no item: skipped, or not sent because the run had failed, which is no failure of its own. */
export interface Omitted extends AnyEnd {
	state: 'skipped' | 'unsent';
}

export interface Failed extends AnyEnd {
	state: 'failed';
	failure: DocumentError;
	/** Null if it failed before its files were at hand. */
	loaded: Loaded | null;
}

/** A document that was answered. Parts of its result may have failed; one that failed as a whole has one output. */
export interface Answered extends Loaded, AnyEnd {
	state: 'answered';
	outputs: Output[];
}

export type Open = Planned | Ready;

export type Ended = Omitted | Failed | Answered;

export function isOpen(document: Open | Ended): document is Open {
	return document.state === 'planned' || document.state === 'ready';
}

/** With its files; null if they were not at hand, or if it becomes no item. */
export function loadedOf(ended: Ended): Loaded | null {
	if (ended.state === 'answered') return ended;
	return ended.state === 'failed' ? ended.loaded : null;
}

/** Whether it was answered, unless free and without a result, or failed in a way that leaves open whether it is billed. */
export function mayBeBilled(ended: Ended): ended is Failed | Answered {
	if (ended.state === 'answered') return ended.left.history !== 'none';
	return ended.state === 'failed' && ended.failure.mayBeBilled;
}
