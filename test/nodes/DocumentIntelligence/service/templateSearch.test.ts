import { NodeApiError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

import { searchList } from '../../../n8n-core/runNode';
import { thrownBy, useService } from '../../service';

const service = useService({ templateCount: 130 });

const search = async (
	filter?: string,
	token?: unknown,
	credential: ICredentialDataDecryptedObject = {},
) => await searchList('searchTemplates', { ...service.credential, ...credential }, filter, token);

test('without a text the list comes page by page, each template once', async () => {
	const pages = [await search()];
	for (let token = pages[0]?.paginationToken; token !== undefined;) {
		const page = await search('', token);
		pages.push(page);
		token = page.paginationToken;
	}
	expect(pages.map(({ results }) => results.length)).toEqual([51, 50, 30]);
	const [automatic, ...all] = pages.flatMap(({ results }) => results);
	expect(automatic).toEqual({ name: 'Automatic', value: '' });
	expect(new Set(all.map(({ value }) => value)).size).toBe(130);
	expect(all[119]?.name).toBe('Supplier 120 Invoice');
	expect(await service.calls()).toHaveLength(3);
});

test.each([
	['Supplier 120 Invoice', ['Supplier 120 Invoice']],
	['  supplier 120 INV ', ['Supplier 120 Invoice']],
	[' auto ', ['Automatic']],
	['none such', []],
])('with the text %j, all pages are searched for names and IDs: %j', async (text, expected) => {
	const { results, paginationToken } = await search(text);
	expect(results.map(({ name }) => name)).toEqual(expected);
	expect(paginationToken).toBeUndefined();
	expect(await service.calls()).toHaveLength(3);
	for (const found of results.filter(({ value }) => value !== ''))
		expect((await search(String(found.value))).results).toEqual([found]);
});

test('with a sandbox key nothing is asked, and the message says what to do', async () => {
	const thrown = await thrownBy(search('', undefined, { apiKey: 'xtkt_test_1' }));
	expect(thrown).toMatchObject({
		message: 'A sandbox key cannot list templates',
		description: "Leave 'Template' on Automatic, or use a live key (xtkt_live_).",
	});
	expect(await service.calls()).toEqual([]);
});

test('a key that the service rejects is said in the words of the node', async () => {
	const thrown = await thrownBy(search('', undefined, { apiKey: service.standIn.keys.revoked }));
	expect(thrown.message).toMatch(/rejected the API key/);
});

test('an error is one whose description the editor shows here, with the reason first and as plain text', async () => {
	const problem = { kind: 'problem' as const, status: 403, detail: 'The plan has ended.' };
	await service.standIn.queueFaults([problem], 'templates');
	const rejected = await thrownBy(search());
	expect(rejected.description).toMatch(/^Cogneris says: "The plan has ended"\. .* quote \S+\.$/);
	const withoutStatus = await thrownBy(search('', undefined, { apiKey: 'xtkt_test_1' }));
	for (const error of [rejected, withoutStatus]) {
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.description).not.toContain('<br>');
	}
});

test('a list that does not arrive in time says so', async () => {
	jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
	expect(await thrownBy(search())).toMatchObject({
		message: 'The template list did not arrive within 20 seconds',
		description: expect.stringMatching(/Wait a minute, then open the list again\.$/) as string,
	});
});

describe('A service that gives cursors in a circle', () => {
	async function giving(...cursors: string[]) {
		const ids = ['t-1', '00000000-0000-0000-0000-000000000000'];
		const templates = ids.map((id) => ({ id, name: 'Invoice', status: 'Finished' }));
		const pages = [...cursors, ...cursors].map((nextCursor) => ({
			kind: 'answer' as const,
			data: { templates, nextCursor, hasMore: true, limit: 50 },
		}));
		await service.standIn.queueFaults(pages, 'templates');
	}

	test.each([[['again']], [['one', 'other']]])(
		'is asked for each page once: %j',
		async (cursors) => {
			await giving(...cursors);
			const { results } = await search('invoice');
			const asked = (await service.calls()).map(({ query }) => new URLSearchParams(query));
			expect(asked.map((query) => query.get('cursor'))).toEqual([null, ...cursors]);
			expect(results).toEqual([{ name: 'Invoice', value: 't-1' }]);
		},
	);

	test('has no page after one whose cursor is its own', async () => {
		await giving('again');
		expect((await search('', 'again')).paginationToken).toBeUndefined();
		expect((await search('', 'other')).paginationToken).toBe('again');
	});
});
