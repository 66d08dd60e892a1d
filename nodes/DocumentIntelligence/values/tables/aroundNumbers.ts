/** Words around a number, by what they are; in lower case but for single letters, without the last period, `_` is a blank, which may be missing. */

/** Whether a tax is in the amount: behind it, alone or with the name of the tax. */
const TAXES =
	// English; German; French; Spanish, Portuguese and Italian; Dutch; Nordic; Polish, Czech, Slovak, Hungarian, Romanian
	'inc incl included including exc excl ex excluding plus vat gst hst sst tax gross net ' +
	'inkl inklusive einschl enthalten zzgl exkl mwst ust mehrwertsteuer brutto netto ' +
	'ttc t.t.c ht h.t htva tvac tva tps tvq fp comprise compris ' +
	'iva incluido incluida incluso inclusa igv icms bruto neto lordo imponibile inclusi ' +
	'btw inclusief exclusief ' +
	'moms mva alv ink eks ekskl ' +
	'brutt dph s_dph áfa áfával bez cu fără pvn ' +
	// Greek; Cyrillic; Turkish; Indonesian and Malay; Chinese and Japanese
	'φπα με χωρίς ндс пдв ддс с без kdv dahil hariç ppn termasuk 税込 税抜 税別 含税 不含税 ※ 軽';

/** Signs whose meaning the bank decides, behind an amount: credit or debit, Soll or Haben. */
const BANK_SIGNS = 'S H D cr dr kt dt ct db soll haben debe haber';

/** Pieces, behind a number of them; words that are also a price for each are not here. */
const PIECES =
	'pcs pc pce pces nos units unit items qty stk stück st stuks stuk pièces pièce unités unité uds ud unid unidades unidad ' +
	'pz pezzi pçs un und peças styck kpl ks kusů kus szt sztuk db darab buc bucăți kom kosov gab vnt tk τεμ τεμάχια ' +
	'шт штук бр ком adet יח׳ יחידות قطعة قطع عدد ชิ้น cái chiếc buah pasang 個 个 件 枚 本 台 点 개 매';

/** The letter that stands for a word in a layout; a word of two rows is of the last. */
export const LETTERS = lettersIn({ P: PIECES, T: TAXES, B: BANK_SIGNS });

function lettersIn(rows: Record<string, string>): ReadonlyMap<string, string> {
	const words = Object.entries(rows).flatMap(([letter, row]) =>
		row.split(' ').map((word) => [word.replace(/_/g, ''), letter] as const),
	);
	return new Map(words);
}
