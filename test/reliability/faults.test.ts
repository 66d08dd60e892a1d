import type { IDataObject } from 'n8n-workflow';

import { useBinaryMode } from '../n8n-core/runNode';
import { fastLimiters } from '../nodes/clock';
import { UNTRUSTED } from '../certificate';
import { startScriptedServer } from '../nodes/scriptedServer';
import { failureOf, useService } from '../nodes/service';
import { itemWith } from '../nodes/samples';
import type { Fault, FaultKind } from '../stand-in/startStandIn';
import { FAULTS, NEVER_ANSWERED } from './faultKinds';
import { expectOnPage, grouped, tableOf } from './docsTable';

// Generates the table in docs/internals/reliability.md. After a change of behavior:
// UPDATE_DOCS=1 npx jest --config test/jest.config.js test/reliability/faults

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

interface Seen {
	requests: number;
	/** As the message says: without a connection, the service receives no requests to count. */
	tries: number;
	outcome: 'result' | 'failed item';
	message: string;
	billing: string;
}

/** One invoice through a service that fails its next requests in this way. */
async function meet(fault: Fault, times: number): Promise<Seen> {
	await service.standIn.reset();
	await service.standIn.queueFaults([{ ...fault, times }]);
	return await seen({});
}

/** The same, for the faults that only the timeout ends: all at once. */
async function meetNeverAnswered(): Promise<Map<FaultKind, Seen>> {
	await service.standIn.queueFaults(
		NEVER_ANSWERED.map((kind) => ({ ...FAULTS[kind], match: kind, times: 20 })),
	);
	const met = NEVER_ANSWERED.map(async (kind): Promise<[FaultKind, Seen]> => {
		const outcome = await seen({ timeout: 2 }, undefined, `${kind}.pdf`);
		const ofKind = (await service.calls()).filter(({ fault }) => fault === kind);
		return [kind, { ...outcome, requests: ofKind.length }];
	});
	return new Map(await Promise.all(met));
}

async function seen(
	options: IDataObject,
	baseUrl = service.standIn.url,
	name = 'invoice-us.pdf',
): Promise<Seen> {
	const item = await itemWith('invoice-us.pdf', name);
	const { items, hints } = await service.run({ operation: 'extract', options }, [item], {
		credential: { ...service.credential, baseUrl },
		onError: 'continueRegularOutput',
		limiters: fastLimiters(),
	});
	expect(items).toHaveLength(1);
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
	const requests = (await service.calls()).length;
	if (items[0]?.json.error === undefined) {
		return {
			requests,
			tries: requests,
			outcome: 'result',
			message: hints.map((hint) => hint.message).join(' '),
			billing: '',
		};
	}
	const { message, description } = failureOf(items[0]);
	const tries = Number(/The node tried (\d+) times/.exec(description)?.[1] ?? 1);
	return {
		requests,
		tries,
		outcome: 'failed item',
		message,
		billing: billingSentences(description),
	};
}

/** The sentences of a description that are about billing. */
function billingSentences(description: string): string {
	// What the service says comes after the node's own sentences.
	const [own = ''] = description.split(' Cogneris says: ');
	const sentences = own.split(/(?<=\.) /);
	return sentences
		.filter((sentence) => /billed|processed|can be retried|costs? /i.test(sentence))
		.join(' ');
}

/** Reasons why no request is sent, each with an address at which this happens. */
const NOT_CONNECTED: Record<string, () => Promise<{ url: string; close: () => void }>> = {
	'nobody listens at the address': async () => {
		const server = await startScriptedServer();
		server.close();
		return { url: server.url, close: () => undefined };
	},
	'a certificate that is not trusted': async () => await startScriptedServer({ tls: UNTRUSTED }),
	'https at a port that takes http': async () =>
		await Promise.resolve({
			url: service.standIn.url.replace('http:', 'https:'),
			close: () => undefined,
		}),
};

test('docs/internals/reliability.md shows the outcome of every fault', async () => {
	const rows: Array<{ kind: string; cells: string[] }> = [];
	const neverAnswered = await meetNeverAnswered();
	for (const kind of Object.keys(FAULTS) as FaultKind[]) {
		const fault = FAULTS[kind];
		const always = neverAnswered.get(kind) ?? (await meet(fault, 20));
		const once = always.requests > 1 ? await meet(fault, 1) : always;
		// A document that is or may be billed is sent once, and the message says so.
		if (/so (it|the document) was not retried/.test(always.billing))
			expect([kind, always.requests]).toEqual([kind, 1]);
		const { requests, outcome, billing } = always;
		const retried = once.requests > 1 ? `yes, then a ${once.outcome}` : 'no';
		rows.push({ kind, cells: [retried, String(requests), outcome, billing] });
	}
	for (const [what, begin] of Object.entries(NOT_CONNECTED)) {
		await service.standIn.reset();
		const { url, close } = await begin();
		const met = await seen({}, url);
		close();
		expect([what, met.requests]).toEqual([what, 0]);
		const retried = met.tries > 1 ? `yes, ${met.tries} connects` : 'no';
		rows.push({ kind: what, cells: [retried, '0', met.outcome, met.billing] });
	}
	const table = tableOf(
		['Faults', 'Retried', 'Requests if permanent', 'Ends as', 'Message about billing'],
		grouped(rows),
	);

	expectOnPage('faults', table);
}, 60_000);
