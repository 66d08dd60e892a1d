/** A day's name first and a time of day; what stands between has three forms. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/;

/** The oldest form names no zone; an HTTP date is always GMT. */
const NAMES_ZONE = /([A-Z]|[+-]\d{4})$/;

/** Milliseconds since the epoch; undefined for what is no HTTP date. */
export function parseHttpDate(value = ''): number | undefined {
	const date = value.trim();
	if (!HTTP_DATE.test(date)) return undefined;
	const time = Date.parse(NAMES_ZONE.test(date) ? date : `${date} GMT`);
	return Number.isNaN(time) ? undefined : time;
}
