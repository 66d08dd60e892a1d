import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../stand-in/startStandIn';
import { itemsWith } from '../../samples';
import { failureOf, goOn, thrownBy, useService } from '../../service';

// What the service says is quoted to the user, kept with the execution and shown in n8n's editor. After each test,
// useService looks for the key in everything that was given out.

const service = useService();

const NAME = '"invoice-us.pdf"';

/** Beyond this a message is a wall of text in n8n's panel, and megabytes in its database with a thousand documents. */
const BEARABLE = 10_000;

const answer = (data: unknown): Fault => ({ kind: 'answer', data });
const status = (body: object, code = 400): Fault => ({
	kind: 'status',
	status: code,
	body: JSON.stringify(body),
});
const quality = (overall: number, findings: object[]) =>
	answer({ metadata: overall === 2 ? null : { a: '1' }, quality: { overall, findings } });

/** Every way in which the service can say something. */
const SAYINGS: Array<[string, (text: string) => Fault]> = [
	['the message of an envelope', (text) => ({ kind: 'envelopeError', status: 400, message: text })],
	['the code of an envelope', (text) => ({ kind: 'envelopeError', status: 400, code: text })],
	['the detail of a problem document', (text) => ({ kind: 'problem', status: 401, detail: text })],
	['the code of a problem document', (text) => ({ kind: 'problem', status: 500, code: text })],
	['a correlationId', (correlationId) => status({ status: 500, title: 'x', correlationId }, 500)],
	['a finding, too low', (message) => quality(2, [{ probe: 'blur', message }])],
	['the probe of a finding, too low', (probe) => quality(2, [{ probe }])],
	['a finding, as a hint', (message) => quality(1, [{ probe: 'blur', message }])],
	['a web page', (text) => ({ kind: 'status', status: 502, body: `<html>${text}</html>` })],
];

/** All that is shown of a document which the service has answered like this: its failure, or the hints. */
async function shownAfter(fault: Fault): Promise<{ shown: string; details: IDataObject }> {
	await service.standIn.queueFaults([fault]);
	const files = await itemsWith('invoice-us.pdf');
	const { items, hints } = await service.run({ operation: 'extract' }, files, goOn);
	expect(items).toHaveLength(1);
	const failed = items[0]?.json.error === undefined ? undefined : failureOf(items[0]);
	const texts = [failed?.message, failed?.description, ...hints.map(({ message }) => message)];
	const shown = texts.filter((text) => text !== undefined).join(' ');
	expect(shown).toContain(NAME);
	return { shown, details: failed?.details ?? {} };
}

const many = Array.from({ length: 2000 }, (_, number) => ({ message: `Sentence ${number}.` }));
const envelope = (meta: object, code = 400) => status({ data: null, hasErrors: true, meta }, code);

test.each<[string, Fault]>([
	...SAYINGS.map(([by, saying]): [string, Fault] => [by, saying('x'.repeat(10 * BEARABLE))]),
	['two thousand errors', envelope({ httpStatusCode: 400, messages: [], errors: many })],
	['two thousand findings, too low', quality(2, many)],
	['two thousand findings', quality(1, many)],
])('%s: cut to a bearable length', async (_, fault) => {
	const { shown, details } = await shownAfter(fault);
	expect(shown.length).toBeLessThan(BEARABLE);
	expect(JSON.stringify(details).length).toBeLessThan(BEARABLE);
});

test.each(SAYINGS)(
	'%s: shown without control characters, the key and HTML in the heading',
	async (_, saying) => {
		const { apiKey } = service.credential;
		const hostile = 'a\u0000b\u001b[31mc\r\ne\u0085f';
		const fault = saying(`${hostile} Bearer ${apiKey} <script>alert(2)</script>`);
		const { shown, details } = await shownAfter(fault);
		// Terminals and logs obey them, and databases refuse NUL in a text.
		expect(shown).not.toMatch(/\p{Cc}/u);
		expect(Object.values(details).flat().map(String).join('')).not.toMatch(/\p{Cc}/u);
		// Parts of the key are as good as all of it to somebody who guesses.
		expect(shown).not.toContain(apiKey.slice(12, 30));
		if (fault.kind === 'answer') return;
		await service.standIn.queueFaults([fault]);
		const files = await itemsWith('invoice-us.pdf');
		const { message } = await thrownBy(service.run({ operation: 'extract' }, files));
		expect(message).toContain(NAME);
		expect(message).not.toMatch(/[<>]/);
	},
);

test.each([-1, 0, 99, 200, 1e21, 0.5, 600])(
	'an envelope that claims status %d ends in a message',
	async (httpStatusCode) =>
		void (await shownAfter(envelope({ httpStatusCode, messages: [] }, 200))),
);
