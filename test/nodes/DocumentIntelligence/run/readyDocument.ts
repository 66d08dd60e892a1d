import type { Ready } from '../../../../nodes/DocumentIntelligence/run/state';

/** A document with a note, as if its files were checked. */
export function readyDocument(place: number): Ready {
	return {
		state: 'ready',
		place,
		item: { itemIndex: place * 10, json: {}, read: (_, fallback) => fallback },
		subject: `"${place}.pdf"`,
		fileName: `${place}.pdf`,
		route: { via: 'direct' },
		settings: {
			output: 'fields',
			timeoutSeconds: 1,
			filesPerRequest: 2,
			maxFileBytes: 1,
			ignoresUnsupportedFiles: false,
			isWantedName: null,
			processedBefore: 'process',
		},
		earlier: null,
		notes: [{ kind: 'skipped', entry: '"a.txt"' }],
		parts: [],
		stored: null,
		skippedFiles: 0,
	};
}
