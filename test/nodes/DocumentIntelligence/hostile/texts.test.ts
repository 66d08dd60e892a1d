import type { IDataObject } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/startStandIn';
import { storedSample } from '../../samples';
import { failureOf, thrownBy, useService } from '../../service';

// What the service says is quoted to the user, kept with the execution and shown in n8n's editor. After each test,
// useService looks for the key in everything that was given out.

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

const NAME = '"invoice-us.pdf"';

/** Beyond this a message is a wall of text in n8n's panel, and megabytes in its database with a thousand documents. */
const BEARABLE = 10_000;

const LONG = 'x'.repeat(1024 * 1024);
const CONTROL = 'a\u0000b\u001b[31mc\u0007d\r\ne\u0085f';

/** Every way in which the service can say something. */
const SAYINGS: Array<[string, (text: string) => Fault]> = [
	['the message of an envelope', (text) => ({ kind: 'envelopeError', status: 400, message: text })],
	['the code of an envelope', (text) => ({ kind: 'envelopeError', status: 400, code: text })],
	['the detail of a problem document', (text) => ({ kind: 'problem', status: 401, detail: text })],
	['the code of a problem document', (text) => ({ kind: 'problem', status: 500, code: text })],
	[
		'a correlationId',
		(text) => ({
			kind: 'status',
			status: 500,
			body: JSON.stringify({ status: 500, title: 'x', correlationId: text }),
		}),
	],
	[
		'a finding about the quality, too low',
		(text) =>
			answer({
				metadata: null,
				quality: { overall: 2, findings: [{ probe: 'blur', message: text }] },
			}),
	],
	[
		'the probe of a finding, too low',
		(text) => answer({ metadata: null, quality: { overall: 2, findings: [{ probe: text }] } }),
	],
	[
		'a finding about the quality, as a hint',
		(text) =>
			answer({
				metadata: { a: '1' },
				quality: { overall: 1, findings: [{ probe: 'blur', message: text }] },
			}),
	],
	[
		'a web page',
		(text) => ({
			kind: 'status',
			status: 502,
			body: `<html>${text}</html>`,
			headers: { 'content-type': 'text/html' },
		}),
	],
];

function answer(data: unknown): Fault {
	return { kind: 'answer', data };
}

/** All that is shown of a document which the service has answered like this: its failure, or the hints. */
async function shownAfter(fault: Fault): Promise<{ shown: string; details: IDataObject }> {
	await service.standIn.queueFaults([fault]);
	const item = { json: {}, binary: { data: await storedSample('invoice-us.pdf') } };
	const { items, hints } = await service.run({ operation: 'extract' }, [item], {
		onError: 'continueRegularOutput',
	});
	expect(items).toHaveLength(1);
	const failed = items[0]?.json.error === undefined ? undefined : failureOf(items[0]);
	const shown = [failed?.message, failed?.description, ...hints.map(({ message }) => message)]
		.filter((text) => text !== undefined)
		.join(' ');
	expect(shown).toContain(NAME);
	return { shown, details: failed?.details ?? {} };
}

describe.each(SAYINGS)('%s', (_, saying) => {
	test('of a megabyte is cut to a bearable length', async () => {
		const { shown, details } = await shownAfter(saying(LONG));
		expect(shown.length).toBeLessThan(BEARABLE);
		expect(JSON.stringify(details).length).toBeLessThan(BEARABLE);
	});

	test('with control characters is shown without them', async () => {
		const { shown, details } = await shownAfter(saying(CONTROL));
		// Terminals and logs obey them, and databases refuse NUL in a text.
		expect(shown).not.toMatch(/\p{Cc}/u);
		expect(
			Object.values(details)
				.flat()
				.filter((detail) => typeof detail === 'string' && /\p{Cc}/u.test(detail)),
		).toEqual([]);
	});

	test('with the key in it does not pass it on', async () => {
		const { shown } = await shownAfter(
			saying(`Authorization: Bearer ${service.credential.apiKey} was refused`),
		);
		// Parts of the key are as good as all of it to somebody who guesses.
		expect(shown).not.toContain(service.credential.apiKey.slice(12, 30));
	});

	test('with HTML stops a run with a message that still names the file', async () => {
		const fault = saying('<img src=x onerror=alert(1)><script>alert(2)</script>');
		await service.standIn.queueFaults([fault]);
		const item = { json: {}, binary: { data: await storedSample('invoice-us.pdf') } };
		const run = service.run({ operation: 'extract' }, [item]);
		if (fault.kind === 'answer' && (fault.data as { metadata: unknown }).metadata !== null) {
			// A remark is a hint, and n8n cleans hints; the run goes on.
			expect((await run).hints[0]?.message).toContain(NAME);
			return;
		}
		// What is in bold at the top of n8n's panel are the node's own words, except for what was found on the page.
		const { message } = await thrownBy(run);
		expect(message).toContain(NAME);
		if (fault.kind !== 'answer') expect(message).not.toMatch(/[<>]/);
	});
});

test.each<[string, object]>([
	[
		'messages',
		{
			meta: {
				httpStatusCode: 400,
				messages: Array.from({ length: 20_000 }, (_, number) => `Sentence ${number}.`),
				errors: [],
			},
		},
	],
	[
		'errors',
		{
			meta: {
				httpStatusCode: 400,
				messages: [],
				errors: Array.from({ length: 20_000 }, (_, number) => ({
					code: 'X',
					message: `Sentence ${number}.`,
				})),
			},
		},
	],
	[
		'errors of a problem document',
		{
			status: 400,
			title: 'x',
			errors: Array.from({ length: 20_000 }, (_, number) => ({
				code: 'X',
				message: `Sentence ${number}.`,
			})),
		},
	],
])('twenty thousand %s are cut to a bearable length', async (_, body) => {
	const { shown, details } = await shownAfter({
		kind: 'status',
		status: 400,
		body: JSON.stringify({ data: null, hasErrors: true, ...body }),
	});
	expect(shown.length).toBeLessThan(BEARABLE);
	expect(JSON.stringify(details).length).toBeLessThan(BEARABLE);
});

test('twenty thousand findings about the quality are cut to a bearable length', async () => {
	const findings = Array.from({ length: 20_000 }, (_, number) => ({
		probe: 'blur',
		message: `Finding ${number}.`,
	}));
	for (const overall of [1, 2]) {
		await service.standIn.reset();
		const { shown, details } = await shownAfter(
			answer({ metadata: overall === 2 ? null : { a: '1' }, quality: { overall, findings } }),
		);
		expect(shown.length).toBeLessThan(BEARABLE);
		expect(JSON.stringify(details).length).toBeLessThan(BEARABLE);
	}
});

test.each([-1, 0, 99, 200, 1e21, 0.5, 600])(
	'an envelope that claims status %d ends in a message',
	async (httpStatusCode) => {
		const { shown } = await shownAfter({
			kind: 'status',
			status: 200,
			body: JSON.stringify({ data: null, meta: { httpStatusCode, messages: [] }, hasErrors: true }),
		});
		expect(shown).toContain(NAME);
		const stopped = await thrownBy(
			(async () => {
				await service.standIn.queueFaults([
					{
						kind: 'status',
						status: 200,
						body: JSON.stringify({
							data: null,
							meta: { httpStatusCode, messages: [] },
							hasErrors: true,
						}),
					},
				]);
				return await service.run({ operation: 'extract' }, [
					{ json: {}, binary: { data: await storedSample('invoice-us.pdf') } },
				]);
			})(),
		);
		expect(stopped.message).toContain(NAME);
	},
);
