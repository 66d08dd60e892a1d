/** `14:35`, `14.35`, `14h35` and `14:35:10`. */
const HOURS_AND_MINUTES = /(?<hours>\d\d?)[:.h](?<minutes>[0-5]\d(?::[0-5]\d)?)/.source;

/** `2:35 PM` and `2:35 p.m.` */
const HALF_OF_DAY = /(?: ?(?<half>[ap])\.?m\.?)?/.source;

/** `14:35 Uhr`, `14:35 hod.` and `14.35 hrs`. */
const HOUR_WORD = /(?: ?(?:uhr|hrs?|hs?|klo|hod\.?))?/.source;

const CLOCK = HOURS_AND_MINUTES + HALF_OF_DAY + HOUR_WORD;

/** What says that a time follows: `um 14:35`, `kl. 14.35`. */
const TIME_WORD = /(?:um|at|à|às|a las|klo?\.?|(?:alle )?ore|godz\.|в|о|ob?|u|om|pukul)/.source;

/** `2027-03-09T14:35`, `09.03.2027, 14:35`, `9/3/2027 - 14:35` and `09.03.2027 um 14:35`. */
const BEFORE_TIME = `(?:T|[ ,،]+(?:[-/|] )?${TIME_WORD}? ?)`;

const TIME_LAST = new RegExp(`^(?<rest>.*\\d.*?)${BEFORE_TIME}${CLOCK}$`, 'i');

/** `14:35 09.03.2027`. */
const TIME_FIRST = new RegExp(`^${CLOCK}[ ,]+(?<rest>.*\\d.*)$`, 'i');

/** `09.03.2027 kl. 14.35`: with a point, it is a time only if a word says so. */
const HAS_TIME = new RegExp(`\\d[:h]\\d\\d|uhr|hrs?$| ${TIME_WORD} ?\\d`, 'i');

/** `2027-03-09T00:00:00Z`: midnight adds nothing to a date in ISO 8601. With a zone, any other time could not be kept. */
const MIDNIGHT = /(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** Separates a time from the text beside it; the time is as printed, in 24 hours. */
export function splitTime(printed: string): { rest: string; time?: string } {
	const text = printed.replace(MIDNIGHT, '');
	const match = HAS_TIME.test(text) ? (TIME_LAST.exec(text) ?? TIME_FIRST.exec(text)) : undefined;
	const time = match ? timeOf(match.groups ?? {}) : undefined;
	return time === undefined ? { rest: text } : { rest: match?.groups?.rest ?? '', time };
}

/** As `HH:MM` or `HH:MM:SS`; undefined if no clock shows it. */
function timeOf({ hours, minutes = '', half }: Record<string, string | undefined>) {
	const afternoon = half?.toLowerCase() === 'p' ? 12 : 0;
	const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + afternoon;
	// `25:05` and `13:05 AM`, but not `13:05 PM`.
	const isNoHour = hour > 23 || (Number(hours) > 12 && hour < 12);
	return isNoHour ? undefined : `${String(hour).padStart(2, '0')}:${minutes}`;
}
