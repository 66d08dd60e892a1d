import type { NodeExecutionHint } from 'n8n-workflow';

import { oneLine, pluralize } from './words';

const MAX_LISTED_ENTRIES = 5;

const MAX_ENTRY_CHARACTERS = 300;

const MAX_HINTS = 3;

/** What a user should know of a run, the worst first. Each entry names a document, file or item, with the reason. */
const KINDS = {
	failed: (count: number) => `${pluralize(count, 'item')} failed`,
	notRemembered: () => "'Skip Processed Files'",
	decision: (count: number) => `Have a person check ${pluralize(count, 'decision')}`,
	review: () => 'Values to check',
	quality: (count: number) => `Cogneris reported low quality for ${pluralize(count, 'document')}`,
	pages: (count: number) => `Check the documents in ${pluralize(count, 'file')}`,
	nothingFound: (count: number) =>
		`No document was found in ${pluralize(count, 'file')}, so ${count === 1 ? 'it has' : 'they have'} no output`,
	tables: () => 'About the rows',
	skipped: (count: number) => `${pluralize(count, 'file')} skipped`,
};

/** Entry of `service`: a sentence of its own. */
export type HintKind = keyof typeof KINDS | 'service';

/** What the run of a node tells its user above the output: at most three hints, none of them per item. */
export class Hints {
	readonly #entries = new Map<HintKind, string[]>();
	#credits: number | undefined;

	/** @param entry what is listed, for example `"a.pdf" (page 3 in no document)` */
	add(kind: HintKind, entry: string): void {
		const entries = this.#entries.get(kind) ?? [];
		entries.push(oneLine(entry, MAX_ENTRY_CHARACTERS));
		this.#entries.set(kind, entries);
	}

	addCredits(credits: number | undefined): void {
		if (credits !== undefined) this.#credits = (this.#credits ?? 0) + credits;
	}

	all(requests?: Parameters<typeof sentencesOn>[1]): NodeExecutionHint[] {
		const messages = Object.entries(KINDS).map(([kind, said]): [string, string] => {
			const entries = this.#entries.get(kind as HintKind) ?? [];
			return [
				kind,
				entries.length === 0 ? '' : `${said(entries.length)}: ${listed(entries, '; ')}`,
			];
		});
		const sentences = new Set(this.#entries.get('service'));
		messages.push(['service', [...sentencesOn(this.#credits, requests), ...sentences].join(' ')]);
		return messages
			.filter(([, message]) => message !== '')
			.slice(0, MAX_HINTS)
			.map(([kind, message]) => ({
				message,
				type: ['tables', 'skipped', 'service'].includes(kind) ? 'info' : 'warning',
				location: 'outputPane',
			}));
	}
}

/** Shorter waits are nothing a user would notice. */
const NOTICEABLE_MS = 1000;

function sentencesOn(
	credits?: number,
	{ waitedMs, rejections, retries } = { waitedMs: 0, rejections: 0, retries: 0 },
): string[] {
	return [
		credits !== undefined &&
			`Cogneris reported ${pluralize(Number(credits.toFixed(6)), 'credit')} for this run.`,
		waitedMs >= NOTICEABLE_MS &&
			`Waited up to ${pluralize(Math.round(waitedMs / 1000), 'second')} for the rate limit of the API key.`,
		waitedMs >= NOTICEABLE_MS &&
			rejections > 0 &&
			`Cogneris rejected ${pluralize(rejections, 'request')}, and the node retried at no cost. Other programs may be using the same key.`,
		retries > 0 &&
			`Retried ${pluralize(retries, 'time')} because the connection or Cogneris was unavailable.`,
	].filter((sentence) => typeof sentence === 'string');
}

/** Each entry once, with its number: many documents may fail for one reason. */
export function listed(entries: string[], separator = ', '): string {
	const counts = new Map<string, number>();
	for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1);
	const texts = [...counts].map(([text, count]) =>
		count === 1 ? text : `${text} (${count} times)`,
	);
	const more = texts.length - MAX_LISTED_ENTRIES;
	return `${texts.slice(0, MAX_LISTED_ENTRIES).join(separator)}${more > 0 ? `${separator}and ${more} more` : ''}`;
}
