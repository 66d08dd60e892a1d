import { useStandIn } from '../useStandIn';

const service = useStandIn();

interface Page {
	templates: Array<{ id: string; name: string; description: string; status: string }>;
	nextCursor: string | null;
	hasMore: boolean;
	limit: number;
}

async function page(query = ''): Promise<Page> {
	return (await service.send('GET', `/api/v1/templates${query}`)).data as unknown as Page;
}

test('130 templates come in three pages, each once', async () => {
	await service.standIn.configure({ templateCount: 130 });
	const pages = [await page()];
	for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
		pages.push(await page(`?limit=50&cursor=${encodeURIComponent(cursor)}`));
	expect(pages.map(({ templates, hasMore, limit }) => [templates.length, hasMore, limit])).toEqual([
		[50, true, 50],
		[50, true, 50],
		[30, false, 50],
	]);
	const all = pages.flatMap(({ templates }) => templates);
	expect(new Set(all.map(({ id }) => id)).size).toBe(130);
	expect(new Set(all.map(({ name }) => name)).size).toBe(130);
	expect(all[119]).toMatchObject({ name: 'Supplier 120 Invoice', status: 'Finished' });
});

test('the list cannot be searched: a parameter for it changes nothing', async () => {
	await service.standIn.configure({ templateCount: 130 });
	expect(await page('?search=Supplier%20120&name=Supplier%20120')).toEqual(await page());
});

test('without a count the list has the templates that the stand-in tells apart', async () => {
	const { templates, hasMore, nextCursor } = await page('?limit=100');
	expect(templates.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['Invoice', 'Receipt', 'Contract']),
	);
	expect([hasMore, nextCursor]).toEqual([false, null]);
});

test.each(['?limit=0', '?limit=101', '?limit=many', '?cursor=unknown'])(
	'%s is rejected',
	async (query) => {
		expect((await service.send('GET', `/api/v1/templates${query}`)).status).toBe(400);
	},
);

test('an extraction is read with the template that was chosen, and with no other', async () => {
	await service.standIn.configure({ templateCount: 130 });
	const chosen = (await page('?limit=100')).templates.find(
		({ name }) => name === 'Supplier 60 Invoice',
	);
	const inputReference = await service.store();
	const { data } = await service.submit({ inputReference, templateId: chosen?.id });
	const jobId = data.jobId as string;
	expect(await service.job(jobId)).toMatchObject({ status: 'Succeeded', templateId: chosen?.id });
	expect(await service.result(jobId)).toMatchObject({
		Metadata: { documentType: 'Supplier 60 Invoice' },
	});

	const unknown = await service.submit({ inputReference, templateId: 'none-such' });
	expect([unknown.status, unknown.code]).toEqual([422, 'template_unknown']);
	const classification = await service.submit({
		operation: 'Classification',
		inputReference,
		templateId: chosen?.id,
	});
	expect([classification.status, classification.code]).toEqual([422, 'template_not_applicable']);
});
