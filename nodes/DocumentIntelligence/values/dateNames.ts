/** Languages whose month names are recognized. */
const LANGUAGES = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro ru uk bg el tr hr'.split(' ');

let known: ReturnType<typeof readNames> | undefined;

/** Full and abbreviated, in lower case without accents, made once from the names that Node.js has. */
export function namesOfDates() {
	return (known ??= readNames());
}

function readNames() {
	/** Counted from 1; undefined for a name of two months. In Croatian, `svi` is May and "all". */
	const months = new Map<string, string | undefined>([['svi', undefined]]);
	const weekdays = new Set<string>();
	for (const language of LANGUAGES)
		for (const style of ['long', 'short'] as const)
			// In some languages, a month's name changes next to a day.
			for (const beside of [{}, { day: 'numeric' as const, weekday: style }]) {
				const format = new Intl.DateTimeFormat(language, { month: style, ...beside });
				for (let month = 1; month <= 12; month++)
					for (const { type, value } of format.formatToParts(new Date(2024, month - 1, 10))) {
						const name = plainLetters(value).replace(/\.$/, '');
						const isOne = !months.has(name) || months.get(name) === `${month}`;
						if (type === 'month') months.set(name, isOne ? `${month}` : undefined);
						if (type === 'weekday') weekdays.add(name);
					}
			}
	return { months, weekdays };
}

export function plainLetters(text: string): string {
	return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
