import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { useBinaryMode, searchList } from '../../../n8n-core/runNode';
import { naming, serviceAt } from '../../../../nodes/DocumentIntelligence/text/cogneris';
import { invoiceItems } from '../../samples';
import { failureOf, goOn, thrownBy, useService } from '../../service';

test.each([
	['https://api-us.cogneris.ai', 'Cogneris'],
	['https://api-eu.cogneris.ai', 'Cogneris'],
	['https://api-eu.cogneris.ai:8443/v2', 'Cogneris'],
	['https://api-eu.cogneris.ai.example.com', 'the service'],
	['https://documents.example.com', 'the service'],
	['http://localhost:8080', 'the service'],
])('messages about %s name %s', (address, service) => {
	expect(serviceAt(address)).toBe(service);
});

test.each([
	['Cogneris rejected "Cogneris.pdf"', 'The service rejected "Cogneris.pdf"'],
	['Wait. Cogneris billed 2 credits.', 'Wait. The service billed 2 credits.'],
	['Wait.<br>Cogneris says: "Ask Cogneris."', 'Wait.<br>The service says: "Ask Cogneris."'],
	['The connection to Cogneris was lost', 'The connection to the service was lost'],
	['Job 1: Cogneris did not return it', 'Job 1: the service did not return it'],
	['In your Cogneris account, check it.', 'In your account, check it.'],
	['When you contact Cogneris support, quote 5.', 'When you contact support, quote 5.'],
	['The region is not a region of Cogneris', 'The region is not a region of the service'],
])('%s', (text, expected) => {
	expect(naming('the service', text)).toBe(expected);
	expect(naming('Cogneris', text)).toBe(text);
});

describe('At a custom address, the service is not called Cogneris', () => {
	const service = useService();
	/** Another name of this computer than the one that the other suites use. */
	const elsewhere = () => ({
		...service.credential,
		baseUrl: service.standIn.url.replace('127.0.0.1', 'localhost'),
	});

	beforeAll(async () => await useBinaryMode('filesystem'));

	test('in a failed item and in the notes of a run', async () => {
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, message: '' }]);
		const { items, hints } = await service.run({ operation: 'extract' }, await invoiceItems(1), {
			credential: elsewhere(),
			...goOn,
		});
		const { message, description } = failureOf(items[0]);
		expect(message).toMatch(/^The service could not read /);
		expect(description).toMatch(/ for this kind of document in your account, or /);
		expect(hints.map((hint) => hint.message).join()).toMatch(/failed: the service could not /);
		expect(JSON.stringify([items, hints])).not.toMatch(/Cogneris/);
	});

	test('in what stops a run', async () => {
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, message: '' }]);
		const run = { credential: elsewhere() };
		const thrown = await thrownBy(
			service.run({ operation: 'extract' }, await invoiceItems(1), run),
		);
		expect(`${thrown.message} ${thrown.description}`).toMatch(/^The service could .*your account/);
	});

	test('in the reasons for a review', async () => {
		const quality = { overall: 1, findings: [{ message: 'Blurred' }] };
		const data = { metadata: { total: '1' }, quality };
		await service.standIn.queueFaults([{ kind: 'answer', data }]);
		const parameters = { operation: 'extract', options: { requiredFields: 'total' } };
		const run = { credential: elsewhere() };
		const { items } = await service.run(parameters, await invoiceItems(1), run);
		expect(items[0]?.json.reviewReasons).toEqual(['The service reports low quality: Blurred']);
	});

	test('in the list of templates', async () => {
		const rejected = { ...elsewhere(), apiKey: 'xtkt_live_revoked' };
		const thrown = await thrownBy(searchList('searchTemplates', rejected, ''));
		expect(`${thrown.message} ${thrown.description}`).toMatch(/^The service rejected the API key/);
		expect(`${thrown.message} ${thrown.description}`).not.toMatch(/Cogneris/);
	});
});

test('hosts, links and prefixes of keys are in one source', () => {
	const project = join(__dirname, '..', '..', '..', '..');
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => join(folder, name)),
	);
	const facts = /xtkt|cogneris\.ai/;
	const found = sources.filter((path) => facts.test(readFileSync(join(project, path), 'utf8')));
	expect(found).toEqual([join('nodes', 'DocumentIntelligence', 'text', 'cogneris.ts')]);
});
