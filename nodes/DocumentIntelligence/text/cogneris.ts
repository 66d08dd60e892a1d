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

export const LIVE_KEY_PREFIX = `${KEY_PREFIX}live_`;

/** A sandbox key processes documents as jobs only, and without a template. */
export const SANDBOX_KEY_PREFIX = `${KEY_PREFIX}test_`;

const ANY_KEY = new RegExp(`${KEY_PREFIX}(live|test)_[\\x21-\\x7e]*`, 'gi');

/** Masks whatever looks like an API key, before the text is cut. */
export function withoutKeys(text: string): string {
	return text.replace(ANY_KEY, `${KEY_PREFIX}$1_…`);
}
