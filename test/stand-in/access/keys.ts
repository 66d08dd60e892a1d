export type KeyClass = 'valid' | 'revoked' | 'unsubscribed' | 'sandbox' | 'unknown' | 'none';

/** Each valid key has its own rate-limit window, so tests that run side by side take one each. */
export const keys = {
	valid: [
		'xtkt_live_valid_0001',
		'xtkt_live_valid_0002',
		'xtkt_live_valid_0003',
		'xtkt_live_valid_0004',
	],
	revoked: 'xtkt_live_revoked_0001',
	unsubscribed: 'xtkt_live_unsubscribed_0001',
	sandbox: 'xtkt_test_sandbox_0001',
	unknown: 'xtkt_live_nobody_0001',
} as const;

export interface PresentedKey {
	class: KeyClass;
	value: string;
}

export function presentedKey(authorization: string | undefined): PresentedKey {
	const value = /^Bearer (.*)$/i.exec(authorization ?? '')?.[1];
	if (value === undefined) return { class: 'none', value: '' };
	const [, live] = /^xtkt_live_(valid|revoked|unsubscribed)/.exec(value) ?? [];
	// A prefix alone is no key.
	const other = /^xtkt_test_./.test(value) ? 'sandbox' : 'unknown';
	return { class: (live as KeyClass | undefined) ?? other, value };
}
