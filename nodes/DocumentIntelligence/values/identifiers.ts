/** What a name says about its value: never a number or date, or a number that is no amount but may be a date. */
export type NameKind = 'identifier' | 'notAmount';

/**
 * Words that make a name the name of an identifier, in English, German, French, Spanish and Portuguese, Italian and
 * Dutch, in lower case without accents.
 */
const WORDS: Record<'last' | 'first' | 'only' | 'ending', Record<NameKind, string[]>> = {
	/** As the last word: `invoiceNo`, `Tax ID`. */
	last: {
		identifier: [
			'number numbers no nos num nr id ids code codes reference references ref refs account acct iban bic swift phone',
			'telephone tel fax mobile contact zip postcode eircode sku lot batch part hs hsn hts section clause paragraph serial',
			'konto bankkonto kontakt referenz telefon handy mobil blz plz aktenzeichen kostenstelle zolltarif abschnitt klausel',
			'numero numeros compte portable siren siret lot piece',
			'codigo cuenta conta referencia telefono telefone movil contacto contato dni nif cif nit rut ruc cuit rfc cnpj cpf cedula cep ncm',
			'codice conto riferimento cellulare contatto',
			'nummer rekening bankrekening kenmerk referentie telefoon mobiel kostenplaats',
		],
		notAmount: [
			'time start end begin version revision lat lon lng latitude longitude',
			'beginn anfang ende uhrzeit startzeit endzeit breitengrad langengrad wechselkurs',
			'debut latitud longitud latitudine longitudine',
			'tijd begintijd eindtijd starttijd einde versie breedtegraad lengtegraad wisselkoers',
		],
	},
	/** As the first word, where languages put it first: `numéro de facture`. */
	first: {
		identifier: [
			'numero num code compte reference telephone matricule identifiant',
			'codigo cuenta referencia telefono identificacion cedula',
			'codice conto riferimento telefono cellulare identificativo',
		],
		notAmount: ['heure hora ora version versione'],
	},
	/** As the only word: things that are known by their number. */
	only: {
		identifier: [
			'order file case ticket item drawing terminal room rooms page pages seat gate project contract position exhibit annex',
			'auftrag vertrag projekt artikel zimmer seite pos chargen kapitel cap',
			'dossier affaire contrat commande article documento pedido expediente contrato clausula seccion',
			'pratica commessa contratto lotto parte sezione clausola sectie clausule',
		],
		notAmount: [
			'zeit fin fine fim inicio inizio software firmware build departure arrival checkin checkout abfahrt ankunft',
		],
	},
	/** At the end of a compound: `Rechnungsnummer`. */
	ending: {
		identifier: [
			'nummer nummern nr code kode leitzahl kennung kennzeichen kennziffer zeichen referenz referentie telefon id',
		],
		notAmount: [],
	},
};

/** Two words that are one: a rate or a cost is an amount otherwise. */
const PHRASES: Array<[NameKind, RegExp]> = [
	[
		'identifier',
		/\bcost (?:center|centre)s?$|^(?:centre de cout|centro de cost[eo]|centro di costo)s?$|^p(?:artita)? iva$/,
	],
	[
		'notAmount',
		/\bexchange rate$|^(?:taux de change|tipo de cambio|tasso di cambio|cours de change)$/,
	],
];

const namesOf = (words: string[]) => words.join(' ').replace(/ /g, '|');

const PATTERNS = (['identifier', 'notAmount'] as const).map((kind): [NameKind, RegExp] => {
	const { last, first, only, ending } = WORDS;
	const parts = [
		`(?:^| )(?:${namesOf(last[kind])})$`,
		`^(?:${namesOf(first[kind])}) `,
		`^(?:${[last, first, only].map((place) => namesOf(place[kind])).join('|')})$`,
		...(ending[kind].length > 0 ? [`[a-z]{3}(?:${namesOf(ending[kind])})$`] : []),
		...(kind === 'identifier' ? ['(?<!s)konto$', 'nummer'] : []),
	];
	return [kind, new RegExp(parts.join('|'))];
});

/** @param name of a field; its words are compared without case, accents and digits */
export function nameKind(name: string): NameKind | undefined {
	const words = wordsOf(name);
	return [...PATTERNS, ...PHRASES].find(([, pattern]) => pattern.test(words))?.[0];
}

/** Names of a tax, whose number is grouped without decimals and whose amount has decimals. */
export function isTaxName(name: string): boolean {
	return /^(?:vat|mwst|ust|tva|iva|btw)$/.test(wordsOf(name));
}

/** `invoiceNumber`, `INVOICE_NUMBER` and `Invoice number:` are alike. */
function wordsOf(name: string): string {
	const parts = name
		.replace(/n[°º]|№|#/gi, ' numero ')
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
	return (parts.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ');
}
