import { pluralize } from './pluralize';

const DAY = { noun: 'day', ms: 86_400_000 };

/** Each unit is used below this count; from there on the next larger one reads better. */
const SMALLER_UNITS = [
	{ noun: 'second', ms: 1000, upTo: 120 },
	{ noun: 'minute', ms: 60_000, upTo: 120 },
	{ noun: 'hour', ms: 3_600_000, upTo: 48 },
];

/** "45 seconds", "2 hours"; rounded up, so that nobody comes back too early. */
export function formatDuration(ms: number): string {
	const unit = SMALLER_UNITS.find((smaller) => Math.ceil(ms / smaller.ms) < smaller.upTo) ?? DAY;
	return pluralize(Math.ceil(ms / unit.ms), unit.noun);
}
