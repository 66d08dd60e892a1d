import { formatDuration } from '../../../../nodes/DocumentIntelligence/text/words';

test.each([
	[1, '1 second'],
	[1000, '1 second'],
	[1001, '2 seconds'],
	[119_000, '119 seconds'],
	[119_001, '2 minutes'],
	[600_000, '10 minutes'],
	[119 * 60_000, '119 minutes'],
	[120 * 60_000, '2 hours'],
	[24 * 3_600_000, '24 hours'],
	[48 * 3_600_000, '2 days'],
	[366 * 86_400_000, '366 days'],
])('%i ms reads "%s"', (ms, expected) => {
	expect(formatDuration(ms)).toBe(expected);
});
