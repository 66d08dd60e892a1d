/** What is known of the service besides its API: its names, addresses and keys (docs/internals/service-contract.md). */

export const SERVICE_NAME = 'Cogneris';

export const PRODUCT_NAME = 'Cogneris Document AI';

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

/** What messages call the service. */
export type ServiceName = typeof SERVICE_NAME | 'the service';

/** At a custom address, users may know the service by another name. */
export function serviceAt(baseUrl: string): ServiceName {
	const { hostname } = new URL(baseUrl);
	return Object.values(REGION_HOSTS).includes(hostname) ? SERVICE_NAME : 'the service';
}

/** A text with the name of the service that its reader knows. What is in quotes stays, such as the name of a file. */
export function naming(service: ServiceName, text: string): string {
	if (service === SERVICE_NAME) return text;
	return text.replace(
		/"[^"]*"|Cogneris( (?=account|support))?/g,
		(found: string, noun: string | undefined, offset: number) => {
			if (found.startsWith('"')) return found;
			// "Your account", "support": whose it is, is clear.
			if (noun !== undefined) return '';
			return /(^|[.?] |<br>)$/.test(text.slice(0, offset)) ? 'The service' : service;
		},
	);
}
