import IndependentForm from 'form-data';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storeFile, useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { envelope, startScriptedServer, type ScriptedServer } from '../../scriptedServer';
import { useService } from '../../service';
import { itemOf, mimeTypeOf, pdfOfSize, sampleBytes } from '../../samples';

// The bytes on the wire are compared with those of form-data, a multipart client that has nothing to do with this node.

const service = useService();
let server: ScriptedServer;

beforeAll(async () => {
	server = await startScriptedServer({ otherwise: envelope({ metadata: {} }) });
});
beforeEach(() => {
	server.received.length = 0;
});
afterAll(() => server.close());

/** The body of the one request of a run, with its boundary called BOUNDARY. */
async function bodyOf(parameters: IDataObject, item: INodeExecutionData): Promise<Buffer> {
	await service.run(parameters, [item], {
		credential: { ...service.credential, baseUrl: server.url },
	});
	const [request, ...others] = server.received;
	expect(others).toEqual([]);
	const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(
		request?.headers['content-type'] ?? '',
	)?.[1];
	expect(request?.headers).toMatchObject({
		accept: 'application/json, application/problem+json',
		authorization: `Bearer ${service.credential.apiKey}`,
		'content-length': String(request?.body.length),
	});
	expect(request?.headers).not.toHaveProperty('transfer-encoding');
	return withBoundary(request?.body ?? Buffer.alloc(0), boundary ?? 'no boundary');
}

function bodyOfIndependent(form: IndependentForm): Buffer {
	return withBoundary(form.getBuffer(), form.getBoundary());
}

/** Latin-1 keeps every byte as it is. */
function withBoundary(body: Buffer, boundary: string): Buffer {
	const text = body.toString('latin1');
	expect(text.split(`--${boundary}`).length).toBeGreaterThan(2);
	return Buffer.from(text.replaceAll(`--${boundary}`, '--BOUNDARY'), 'latin1');
}

function expectSameBytes(actual: Buffer, expected: Buffer) {
	// A difference is shown as text; the bytes decide.
	expect(actual.toString('latin1')).toBe(expected.toString('latin1'));
	expect(actual.equals(expected)).toBe(true);
}

describe.each<BinaryMode>(['filesystem', 'default'])(
	'The body of a request, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test.each<[string, string, Buffer?]>([
			['white space and signs', "Ann's invoice (2), 100% & more; final.pdf"],
			['quotes', 'the "best" invoice.pdf'],
			['accents', 'Übersicht Café.pdf'],
			['right-to-left script', 'חשבונית 5.pdf'],
			['an emoji', '🧾 receipt 👩‍💻.pdf'],
			['a file of many chunks', 'a.pdf', pdfOfSize(3 * 196_608 + 4)],
			['a file of a single byte', 'a.pdf', Buffer.from('x')],
		])('%s', async (_, fileName, content = sampleBytes('invoice-us.pdf')) => {
			const item = await itemOf(content, fileName);
			const form = new IndependentForm();
			form.append('file', content, { filename: fileName, contentType: 'application/pdf' });
			expectSameBytes(await bodyOf({ operation: 'extract' }, item), bodyOfIndependent(form));
		});

		test.each([
			['a text of several scripts', 'Gesamtbetrag · סך הכל · 合計 · 🧾'],
			['a text of several lines', 'one\r\ntwo\r\n--BOUNDARY\r\nthree'],
			['a text in quotes', '"total" <b>&amp;</b>'],
		])('%s beside the file', async (_, prompt) => {
			const content = sampleBytes('letter.docx');
			const item = await itemOf(content, 'letter.docx');
			const form = new IndependentForm();
			const contentType = mimeTypeOf('letter.docx');
			form.append('file', content, { filename: 'letter.docx', contentType });
			form.append('ComplementaryPrompt', prompt);
			expectSameBytes(
				await bodyOf({ operation: 'extract', options: { complementaryPrompt: prompt } }, item),
				bodyOfIndependent(form),
			);
		});

		test('several files', async () => {
			const [selfie, card] = [sampleBytes('portrait.png'), sampleBytes('id-card.png')];
			const item = {
				json: {},
				binary: {
					selfie: await storeFile(selfie, 'me.png', 'image/png'),
					documents: await storeFile(card, 'card.png', 'image/png'),
				},
			};
			const form = new IndependentForm();
			form.append('selfie', selfie, { filename: 'me.png', contentType: 'image/png' });
			form.append('documents', card, { filename: 'card.png', contentType: 'image/png' });
			expectSameBytes(await bodyOf({ operation: 'faceMatch' }, item), bodyOfIndependent(form));
		});
	},
);
