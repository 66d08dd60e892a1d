import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../../../nodes/DocumentIntelligence/service/limiter';
import type { RecordedRequest, Settings } from '../../../stand-in/startStandIn';
import { invoiceItems } from '../../samples';
import { useService } from '../../service';

// Slow because its windows pass in real time, as those of the service do; the same in simulated minutes: rateLimit.test.ts.

/** As the minute of the service, but short. */
const WINDOW_MS = 2000;

const PER_WINDOW = 10;

const service = useService({ windowMs: WINDOW_MS, requestsPerWindow: PER_WINDOW });

const limitersOfAnotherProcess = () => new Limiters(undefined, WINDOW_MS);

const credential = () => ({ ...service.credential, requestsPerMinute: PER_WINDOW });

async function run(
	items: INodeExecutionData[],
	limiters: Limiters,
	options: IDataObject = {},
	more = {},
) {
	return await service.run({ operation: 'extract', options }, items, {
		credential: credential(),
		limiters,
		...more,
	});
}

const namesOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.fileName);
const names = (count: number) => Array.from({ length: count }, (_, number) => `${number}.pdf`);

const rejectedOf = (calls: RecordedRequest[]) => calls.filter(({ refused }) => refused).length;

/** Waits for the beginning of a window of the service, so that a run begins with all of it. */
async function atReset(): Promise<void> {
	await new Promise((go) => setTimeout(go, WINDOW_MS - (Date.now() % WINDOW_MS) + 20));
}

test.each<[string, Partial<Settings>]>([
	['with the clock of the service', {}],
	['the service’s clock ahead by 1.4 s', { clockSkewMs: 1400 }],
	['the service’s clock behind by half a minute', { clockSkewMs: -31_300 }],
	['no Retry-After', { retryAfter: false }],
	['answers that take their time', { latencyMs: [100, 400] }],
])(
	'forty documents, ten in a window, %s: all arrive in order, and two are rejected at most',
	async (_, settings) => {
		await service.standIn.configure(settings);
		const { items, hints } = await run(await invoiceItems(40), limitersOfAnotherProcess());
		expect(namesOf(items)).toEqual(names(40));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[...names(40).keys()].map((item) => ({ item })),
		);
		expect(rejectedOf(await service.calls())).toBeLessThanOrEqual(2);
		expect(hints).toEqual([
			{
				type: 'info',
				location: 'outputPane',
				message: expect.stringMatching(
					/^Waited up to \d+ seconds? for the rate limit of the API key\./,
				) as string,
			},
		]);
	},
);

describe('A computer whose clock is set', () => {
	afterEach(() => jest.restoreAllMocks());

	const HOUR = 3_600_000;

	/** Limiters as n8n loads them, on a computer whose clock can be set. */
	function onComputer() {
		const clock = { setByMs: 0 };
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + clock.setByMs);
		let limiters = limitersOfAnotherProcess();
		jest.isolateModules(() => {
			const loaded = jest.requireActual<{ Limiters: typeof Limiters }>(
				'../../../../nodes/DocumentIntelligence/service/limiter',
			);
			limiters = new loaded.Limiters(undefined, WINDOW_MS);
		});
		return { clock, limiters, now };
	}

	test.each([
		['back', -HOUR],
		['forward', HOUR],
	])('%s by an hour: the queue goes on at its pace', async (_, setByMs) => {
		const { clock, limiters, now } = onComputer();
		await atReset();
		await run(await invoiceItems(PER_WINDOW), limiters);
		clock.setByMs = setByMs;
		const startedAt = now();
		const { items } = await run(await invoiceItems(15), limiters);
		expect(namesOf(items)).toEqual(names(15));
		expect(now() - startedAt).toBeLessThan(4 * WINDOW_MS);
		expect(rejectedOf(await service.calls())).toBeLessThanOrEqual(2);
	});

	test.each([
		['back', -HOUR],
		['forward', HOUR],
	])('%s by an hour after a rejection: Retry-After still counts', async (_, setByMs) => {
		const { clock, limiters } = onComputer();
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 2 }]);
		const running = run(await invoiceItems(1), limiters);
		while ((await service.calls()).length === 0) await new Promise((go) => setTimeout(go, 20));
		await new Promise((go) => setTimeout(go, 200));
		clock.setByMs = setByMs;
		await running;
		const [first, second] = await service.calls();
		const waited = (second?.startedAt ?? 0) - (first?.startedAt ?? 0);
		expect(waited).toBeGreaterThanOrEqual(1990);
		expect(waited).toBeLessThan(3500);
	});
});
