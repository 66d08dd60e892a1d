/** Languages whose month names are recognized. */
const LANGUAGES = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro ru uk bg el tr hr'.split(' ');

/** Croatian abbreviations that are easily another month, or a word, in neighboring languages. */
const OPEN_NAMES = ['svi'];

interface DateNames {
	/** Counted from 1; undefined for a name of two months. */
	months: ReadonlyMap<string, string | undefined>;
	weekdays: ReadonlySet<string>;
}

let known: DateNames | undefined;

/** Full and abbreviated, in lower case without accents, made once from the names that Node.js has. */
export function namesOfDates(): DateNames {
	return (known ??= readNames());
}

function readNames(): DateNames {
	const months = new Map<string, string | undefined>();
	const weekdays = new Set<string>();
	for (const language of LANGUAGES)
		for (const style of ['long', 'short'] as const)
			// In some languages, a month's name changes next to a day.
			for (const beside of [{}, { day: 'numeric' as const, weekday: style }]) {
				const format = new Intl.DateTimeFormat(language, { month: style, ...beside });
				for (let month = 0; month < 12; month++)
					for (const { type, value } of format.formatToParts(new Date(2024, month, 10))) {
						const name = plainLetters(value).replace(/\.$|-feira$/, '');
						const number = `${month + 1}`;
						const isOne = !months.has(name) || months.get(name) === number;
						if (type === 'month') months.set(name, isOne ? number : undefined);
						if (type === 'weekday') weekdays.add(name);
					}
			}
	for (const name of OPEN_NAMES) months.set(name, undefined);
	return { months, weekdays };
}

export function plainLetters(text: string): string {
	return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
