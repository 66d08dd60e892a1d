/** What is known of the service besides its API: its addresses and keys (docs/internals/service-contract.md). */

/** Where accounts and keys are made. */
export const WEBSITE = 'cogneris.ai';

/** Hosts of the regions, each with its own keys. */
export const REGION_HOSTS: Readonly<Record<string, string>> = {
	us: 'api-us.cogneris.ai',
	eu: 'api-eu.cogneris.ai',
};

/** What every key starts with. */
export const KEY_PREFIX = 'xtkt_';

export const LIVE_KEY_PREFIX = 'xtkt_live_';

/** A sandbox key processes documents as jobs only, and without a template. */
export const SANDBOX_KEY_PREFIX = 'xtkt_test_';

/** Masks whatever looks like an API key, before the text is cut. */
export function withoutKeys(text: string): string {
	return text.replace(/xtkt_(live|test)_[\x21-\x7e]*/gi, 'xtkt_$1_…');
}
