/**
 * What papers print for a currency besides its code and the names of one word that ICU knows, by hand: the noun alone
 * (`جنيه`, not `جنيه مصري`), older signs, letters, and few longer names. A `_` is a blank, which may be missing. Signs of
 * several currencies name all of them. The first row is no currency.
 */
export const SIGNS = `
% v.H percent prozent pct; AMD դրամ драм; AOA Kz; AUD AU$ $A $AU; AZN manat манат; BDT টাকা; BGN лева leva;
BRL reais; BBD Bds$; BZD BZ$; FJD FJ$; JMD J$; TTD TT$; PAB B/.; CAD C$ $C $CAD canadian_dollars;
CHF SFr sFr Franken swiss_francs schweizer_franken francs_suisses franchi_svizzeri; CLF UF; CNY RMB 元 圆 yuan; COP COL$;
CRC colones; CZK Kč Kc Kčs korun koruny koruna; DOP RD$; EGP LE L.E; EUR eur; GBP £ GB£ Stg sterling pounds_sterling;
GEL ლარი лари; GHS ₵ GH¢ GHC cedis; GTQ quetzales; HNL lempiras; HUF forint; IDR rupiah;
ILS NIS ש"ח ש״ח שח שקל שקלים; INR indian_rupees; ISK krónur; JOD د.ا; JPY 圓 JP¥ yen; KES KSh KShs Kshs; KRW 원 KR₩;
KWD K.D; KZT тенге тг tenge; LBP L.L; MYR ringgit; NAD N$; NGN naira; NOK Nkr NKr; DKK DKr Dkr dkr; OMR R.O O.R;
PEN S/ S/. soles; PHP Php piso; PLN zł złotych złote zloty złoty; PYG guaraníes; RON lei_noi;
RSD динара динар dinara; RWF Frw FRw; UZS so'm сўм сум; HRK Kn; ALL Lek lekë; ANG NAf; AWG Afl; BIF FBu;
HTG Gdes gourdes; KHR riel riels; LAK kip; LKR රු; MNT төг төгрөг; NIO córdobas; SDG ج.س; TJS сомони;
RUB руб рублей рубля рубль Rbl; SAR SR ﷼; SEK kronor SKr Skr; SGD S$ SG$; THB baht; TRY TL; TZS Tsh TShs Tshs;
UAH грн гривень гривні гривня; UGX USh Ush UShs Ugx; USD US$ U$S $US USD$ us_dollars us_dollar; UYU $U;
VES Bs.S Bs.F; VND VNĐ vnđ vnd đồng dong; XAF_XOF FCFA CFA F_CFA francs_CFA; XPF CFP F_CFP;
AUD_ARS_BRL_CAD_CLP_COP_DOP_HKD_MXN_NZD_SGD_USD_UYU $ dollars dollar dólares;
ARS_CLP_COP_CUP_DOP_MXN_PHP_UYU pesos peso; CNY_JPY ¥; DKK_ISK_NOK_SEK kr Kr; DKK_NOK kroner; INR_NPR रु रू;
INR_LKR_MUR_NPR_PKR Rs rupees rupee ₨; KES_TZS_UGX Shs shillings; DZD_IQD_JOD_KWD_BHD_LYD_TND دينار dinars dinar;
AED_MAD درهم dirhams dirham; SAR_OMR_QAR_YER ريال riyals riyal; EGP_LBP جنيه; LBP_TRY ليرة`;

/** Also units and words: a whole number next to one of these is no amount. */
export const WORDS = `
AED Dhs DHS; AED_MAD dhs; BTN Nu; GNF FG; KRW won; MVR Rf; MWK_ZMW kwacha; RUB р; BOB Bs; CHF Fr; ETB Br Birr; GTQ Q; HNL Lps; HUF Ft; IDR Rp; JOD JD J.D; LBP LL; KWD KD; BHD BD; LYD LD; MAD DH Dh; MKD ден денари;
MXN M.N m.n MN; MYR RM; PYG Gs; RON lei Lei; RSD din дин; TND DT; VND đ; ZAR R rand; BAM KM; BDT Tk; DZD DA; HRK kn; KGS сом; MMK Ks kyat kyats; MGA Ar; MZN MT MTn; QAR QR; OMR RO;`;

/** Codes that are also words, or of currencies whose names are not in the generated table; all others are known from it. */
export const WORD_CODES =
	'ALL; TOP; CUP; GEL; MOP; SOS; AMD; ANG; BAM; CVE; LAK; ERN; BND; BIF; BMD; BBD; BSD; BTN; BWP; BZD; CDF; DJF; FJD; GMD; GNF; GYD; HTG; KGS; KMF; KYD; LRD; LSL; LYD; MGA; MNT; MRU; MVR; MWK; MZN; SBD; SCR; SDG; SLE; SRD; SSP; SYP; SZL; TJS; TMT; VUV; XCD; YER; ZWL';

/** What the countries of a currency print: a mark before three digits. */
export interface Convention {
	mark: string;
	role: 'group' | 'decimal';
	currencies: ReadonlySet<string>;
}

/** Currencies of which three digits behind a mark are no decimals, because they have hardly any, or are decimals. */
export const CONVENTIONS: Convention[] = [
	convention(',', 'group', 'JPY KRW UGX RWF VUV CNY_JPY TWD TZS PKR IQD LBP IRR SYP MMK'),
	convention('.', 'group', 'CLP ISK PYG VND XAF XOF XAF_XOF XPF GNF KMF BIF HUF IDR COP'),
	convention('.', 'decimal', 'BHD JOD KWD LYD OMR'),
	convention(',', 'decimal', 'TND'),
];

function convention(mark: string, role: Convention['role'], currencies: string): Convention {
	return { mark, role, currencies: new Set(currencies.split(' ')) };
}

/** Countries that also print the year first: `26-03-25` beside `249,00 kr`. */
export const YEAR_FIRST = 'CAD CNY HUF JPY KRW SEK TWD ZAR'.split(' ');

/** Countries that also count years in an era of their own: `25/03/69` beside `฿ 12.50`. */
export const OTHER_ERAS = 'JPY THB TWD'.split(' ');
