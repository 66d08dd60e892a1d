import { useStandIn } from '../useStandIn';

const service = useStandIn();

interface Page {
	templates: Array<{ id: string; name: string; status: string }>;
	nextCursor: string | null;
}

const page = async (query: string) =>
	(await service.send('GET', `/api/v1/templates${query}`)).data as unknown as Page;

test('130 templates come in three pages, each once; the list cannot be searched', async () => {
	await service.standIn.configure({ templateCount: 130 });
	const pages = [await page('?search=Supplier')];
	for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
		pages.push(await page(`?limit=50&cursor=${encodeURIComponent(cursor)}`));
	expect(pages.map(({ templates }) => templates.length)).toEqual([50, 50, 30]);
	const all = pages.flatMap(({ templates }) => templates);
	expect(new Set(all.map(({ id }) => id)).size).toBe(130);
	expect(all[119]).toMatchObject({ name: 'Supplier 120 Invoice', status: 'Finished' });
});

test.each(['?limit=0', '?limit=101', '?cursor=unknown'])('%s is rejected', async (query) => {
	expect((await service.send('GET', `/api/v1/templates${query}`)).status).toBe(400);
});

test('an extraction is read with the template that was chosen, and with no other', async () => {
	await service.standIn.configure({ templateCount: 130 });
	const { templates } = await page('?limit=100');
	const templateId = templates.find(({ name }) => name === 'Supplier 60 Invoice')?.id;
	const inputReference = await service.store();
	const { data } = await service.submit({ inputReference, templateId });
	expect(await service.result(data.jobId as string)).toMatchObject({
		Metadata: { documentType: 'Supplier 60 Invoice' },
	});
	const rejected = [
		await service.submit({ inputReference, templateId: 'none-such' }),
		await service.submit({ operation: 'Classification', inputReference, templateId }),
	];
	expect(rejected.map(({ status, code }) => [status, code])).toEqual([
		[422, 'template_unknown'],
		[422, 'template_not_applicable'],
	]);
});
