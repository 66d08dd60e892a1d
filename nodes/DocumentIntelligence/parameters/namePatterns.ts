import { DocumentError } from '../text/errors';
import { plainText } from '../text/json';
import { withoutKeys } from '../text/cogneris';
import { quoted } from '../text/words';

/**
 * The files to process, by their names: those that fit a pattern, or any if there is none, except those that fit a pattern
 * with `!` in front.
 * @param option patterns separated by commas, or a list of them
 * @throws DocumentError for a pattern that cannot fit a file name
 */
export function parseNamePatterns(option: unknown): (fileName: string) => boolean {
	const patterns = [option]
		.flat(Infinity)
		.flatMap((entry) => plainText(entry).split(','))
		.map((entry) => entry.trim());
	const isUnusable = (pattern: string) => /^!?\s*$|[/\\]/.test(pattern);
	const unusable = patterns.length === 0 ? '' : patterns.find(isUnusable);
	if (unusable !== undefined) throw refusal(unusable);
	const included = patterns.filter((pattern) => !pattern.startsWith('!')).map(matcherOf);
	const excluded = patterns.filter((pattern) => pattern.startsWith('!')).map(matcherOf);
	return (fileName) => {
		const name = fileName.normalize('NFC');
		const fits = (matcher: RegExp) => matcher.test(name);
		return (included.length === 0 || included.some(fits)) && !excluded.some(fits);
	};
}

/** A pattern that cannot be meant as a link, which may have a secret after its question mark. */
const NO_LINK = /^(?!.*\/\/|[^/\\]*\w\.\w)[^:@=&#\p{Cc}]{1,100}$/u;

function refusal(pattern: string): DocumentError {
	const shown = NO_LINK.test(pattern) ? `"${withoutKeys(pattern)}"` : quoted(pattern);
	return new DocumentError(
		/[/\\]/.test(pattern)
			? `'File Names' has a pattern with a slash: ${shown}`
			: "'File Names' has an empty pattern",
		'Nothing was sent. Patterns apply to names without folders. Separate them with commas, such as *.pdf, scan-??.jpg, !logo*.',
	);
}

/** A star ends at the first place where what follows fits: a lookahead is not tried again, however many stars there are. */
function matcherOf(pattern: string): RegExp {
	const [start = '', ...pieces] = pattern
		.replace(/^!\s*/, '')
		.normalize('NFC')
		.replace(/[$()+.[\\\]^{|}]/g, '\\$&')
		.replaceAll('?', '.')
		.split(/\*+/);
	const end = pieces.pop();
	const middle = pieces.map((piece, index) => `(?=(.*?${piece}))\\${index + 1}`).join('');
	return new RegExp(`^${start}${end === undefined ? '' : `${middle}.*${end}`}$`, 'isu');
}
