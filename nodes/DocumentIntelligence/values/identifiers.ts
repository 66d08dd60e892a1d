/**
 * What a name says about its value: never a number or date, a number that is no amount but may be a date, or a tax, whose
 * number is grouped without decimals and whose amount has decimals.
 */
export type NameKind = 'identifier' | 'notAmount' | 'tax';

/**
 * Stems of names by language, in lower case without accents; `_` is a blank. A stem is the last word of a name, as in
 * `invoiceNo`. A hyphen shows where a compound goes on: `-nummer` also ends `Rechnungsnummer`, and `numero-` is also a
 * word inside `numéro de facture`. With `=`, the name begins with the stem, because it is an amount elsewhere:
 * `order`, but not `total order`. No account is a Skonto, which is a discount.
 */
const STEMS: Record<NameKind, Record<string, string>> = {
	identifier: {
		english: `
			number numbers no nos num nr id ids code codes reference references ref refs account acct iban bic swift
			phone telephone tel fax mobile contact zip postcode eircode sku lot batch part hs hsn hts section clause
			paragraph serial cost_center cost_centers cost_centre cost_centres =order =file =case =ticket =item =drawing
			=terminal =room =rooms =page =pages =seat =gate =project =contract =position =exhibit =annex`,
		german: `
			-nummer- -nummern -nr -id -code -kode -(?<![nr]s)konto -leitzahl -kennung -kennziffer -zeichen -referenz -telefon
			kontakt handy mobil blz plz kostenstelle zolltarif abschnitt klausel =auftrag =vertrag =projekt =artikel
			=zimmer =seite =pos =chargen =kapitel`,
		french: `
			numero- numeros num- =code- compte =compte- =reference- =telephone- matricule- identifiant- portable siren
			siret piece =centre_de_cout =centre_de_couts =dossier =affaire =contrat =commande =article`,
		spanishAndPortuguese: `
			codigo- cuenta =cuenta- conta referencia- telefono- telefone movil contacto contato identificacion- dni nif cif nit
			rut ruc cuit rfc cnpj cpf cedula- cep ncm =centro_de_costo =centro_de_costos
			=centro_de_coste =centro_de_costes =documento =pedido =expediente
			=contrato =clausula =seccion`,
		italian: `
			codice- conto =conto- riferimento- cellulare- contatto identificativo- =centro_di_costo =centri_di_costo =p_iva =partita_iva
			=cap =pratica =commessa =contratto =lotto =parte =sezione =clausola`,
		dutch:
			'rekening bankrekening -kenmerk -referentie -telefoon mobiel kostenplaats =sectie =clausule',
	},
	notAmount: {
		english: `
			time start end begin version revision lat lon lng latitude longitude exchange_rate =software =firmware
			=build =departure =arrival =checkin =checkout`,
		german:
			'beginn anfang ende uhrzeit startzeit endzeit breitengrad langengrad wechselkurs =zeit =abfahrt =ankunft',
		french: '=heure- debut =version- =fin =taux_de_change =cours_de_change',
		spanishAndPortuguese: '=hora- latitud longitud =tipo_de_cambio =inicio =fim',
		italian: '=ora- =versione- latitudine longitudine =tasso_di_cambio =fine =inizio',
		dutch: 'tijd begintijd eindtijd starttijd einde versie breedtegraad lengtegraad wisselkoers',
	},
	tax: { abbreviations: '=vat =mwst =ust =tva =iva =btw' },
};

const PATTERNS = Object.entries(STEMS).map(([kind, languages]) => {
	const stems = Object.values(languages).flatMap((row) => row.trim().split(/\s+/));
	return [kind as NameKind, new RegExp(stems.map(patternOf).join('|'))] as const;
});

function patternOf(stem: string): string {
	const [, before = '', word = '', after] = /^([-=]?)(.*?)(-?)$/.exec(stem) ?? [];
	const start = { '': '(?:^| )', '=': '^', '-': '(?:^| |[a-z]{3})' }[before];
	return `${start}${word.replace(/_/g, ' ')}${after === '-' ? '(?: |$)' : '$'}`;
}

/** @param name of a field; its words are compared without case, accents and digits */
export function nameKind(name: string): NameKind | undefined {
	const words = wordsOf(name);
	return PATTERNS.find(([, pattern]) => pattern.test(words))?.[0];
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
