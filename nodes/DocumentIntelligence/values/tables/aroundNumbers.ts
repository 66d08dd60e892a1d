/** What stands around a number and is no part of it, and what changes its meaning; in lower case, `_` is a blank. */

/** Whether a tax is in the amount: behind it, alone or with the name of the tax. */
export const TAX_WORDS = new Set(
	// English; German; French; Spanish, Portuguese and Italian; Dutch; Nordic; Polish, Czech, Slovak, Hungarian, Romanian
	(
		'inc incl included including exc excl ex excluding plus vat gst hst sst tax gross net ' +
		'inkl inklusive einschl enthalten zzgl exkl mwst ust mehrwertsteuer brutto netto ' +
		'ttc t.t.c ht h.t htva tvac tva tps tvq comprise compris ' +
		'iva incluido incluida incluso inclusa incl_iva igv icms bruto neto lordo imponibile inclusi ' +
		'btw inclusief exclusief ' +
		'moms mva alv ink eks ekskl m. ' +
		'vat_included brutt dph s_dph áfa áfával bez cu fără pvn ' +
		// Greek; Cyrillic; Turkish; Indonesian and Malay; Chinese and Japanese
		'φπα με χωρίς ндс пдв ддс с без kdv dahil hariç ppn termasuk 税込 税抜 税別 含税 不含税'
	)
		.split(' ')
		.map((word) => word.replace(/_/g, ' ')),
);

/** A sign whose meaning the bank decides, behind an amount: credit or debit, Soll or Haben; single letters are capitals. */
export const BANK_SIGNS = new Set(
	'S H D C cr dr cr. dr. kt dt ct db soll haben debe haber'.split(' '),
);

/** What stands for a percent sign. */
export const PERCENT_WORDS = new Set([
	'v. h.',
	'v.h.',
	'percent',
	'per cent',
	'prozent',
	'pct',
	'pct.',
]);

/** Letters that are thousands, millions or tonnes, not the letter of a tax rate, behind two decimals. */
export const UNIT_LETTERS = new Set(['K', 'M', 'T']);

/** Pieces, behind a number of them; words that are also a price for each are not here. */
export const PIECES = new Set(
	(
		'pcs pc pce pces nos units unit items qty stk stück st stuks stuk pièces pièce unités unité uds ud unid unidades unidad ' +
		'pz pezzi pçs un und peças styck kpl ks kusů kus szt sztuk db darab buc bucăți kom kosov gab vnt tk τεμ τεμάχια ' +
		'шт штук бр ком adet יח׳ יחידות قطعة قطع عدد ชิ้น cái chiếc buah pasang 個 个 件 枚 本 台 点 개 매'
	).split(' '),
);
