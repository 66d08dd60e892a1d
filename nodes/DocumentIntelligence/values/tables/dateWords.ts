/** Names of months in print that ICU does not have, without accents: Austrian, Latvian and Hebrew cases, older forms. */
export const MONTHS_IN_PRINT: Record<string, number> = {
	...{ janner: 1, jaenner: 1, janvari: 1, בינואר: 1 },
	...{ feber: 2, בפברואר: 2 },
	...{ marta: 3, maerz: 3, mrz: 3, במרץ: 3, במרס: 3 },
	...{ aprili: 4, באפריל: 4 },
	...{ maija: 5, במאי: 5 },
	...{ junija: 6, ביוני: 6 },
	...{ julija: 7, ביולי: 7 },
	...{ augusta: 8, באוגוסט: 8 },
	...{ sept: 9, septembri: 9, setiembre: 9, בספטמבר: 9 },
	...{ oktobri: 10, באוקטובר: 10 },
	...{ novembri: 11, בנובמבר: 11 },
	...{ decembri: 12, בדצמבר: 12 },
};

/** Names that are other words, too: `svi` is May and "all" in Croatian. */
export const AMBIGUOUS_MONTHS = new Set(['svi']);

/** Weekdays from Monday in Japanese, in Chinese, and in Korean; in Chinese, Sunday has two names. */
export const WEEKDAY_SIGNS = '月火水木金土日一二三四五六天월화수목금토일';

/** Small words between the parts of a date, and the second half of Portuguese weekdays. */
export const DATE_WORDS = new Set(
	(
		'de del den of the le el feira г р r год году года року gada gads m d year ngay nam ' +
		'dag dnia dne'
	).split(' '),
);
