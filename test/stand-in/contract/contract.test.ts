import { useStandIn, type Seen } from '../useStandIn';

const service = useStandIn();

const JOBS = '/api/v1/document-jobs';

const extract = async () => await service.upload('/Document/extraction', 'invoice-us.pdf');

/** The status, the code and the reason of a response. */
const outcomeOf = ({ status, code, json }: Seen) => [status, code, json.detail];

test('an answer that breaks the contract is a 500 with its reasons, and is recorded', async () => {
	await service.standIn.configure({ jobRules: [{ match: 'invoice', credits: -1 }] });
	const path = `${JOBS}/${await service.start()}`;
	expect(outcomeOf(await service.send('GET', path))).toEqual([
		500,
		'STAND_IN_BROKE_CONTRACT',
		expect.stringContaining('/data/creditsConsumed'),
	]);
	expect(await service.standIn.violations()).toMatchObject([{ path, fault: null }]);
	await service.standIn.reset();
});

describe('An answer that a fault has it give is recorded if it breaks the contract', () => {
	const job = { jobId: 'x', status: 'Succeeded', operation: 'Crop', outputReference: null };
	const lines = (entry: object) => ({ metadata: { fields: { lines: [{ total: entry }] } } });

	test.each<[data: object, reason: string]>([
		[{ fraudBlocked: true }, '/data/fraudBlocked'],
		[{ metadata: {}, quality: { overall: 2, findings: [] } }, '/data/metadata'],
		[{ quality: { overall: 3, findings: [] } }, '/data/quality'],
		[lines({ value: '1', confidence: 101 }), '/total/confidence'],
		[lines({ value: '1', confidence: -1 }), '/total/confidence'],
		[lines({ value: 1, confidence: 9 }), '/total/value'],
	])('of Extract: %j', async (data, reason) => {
		await service.standIn.queueFaults([{ kind: 'answer', data }]);
		await extract();
		await expectViolation(reason);
	});

	test.each<[part: object, reason: string]>([
		[{ status: 'Paused' }, '/data/status'],
		[{ status: 'Processing', outputReference: 'artifact://x' }, '/data/outputReference'],
		[{ operation: 'Redaction', outputReference: 'artifact://x' }, '/data/outputReference'],
		[{ status: 'Processing', creditsConsumed: 1 }, '/data/creditsConsumed'],
		[{ creditsConsumed: '1' }, '/data/creditsConsumed'],
		[{ jobId: 7 }, '/data/jobId'],
	])('of a job: %j', async (part, reason) => {
		await service.standIn.queueFaults([{ kind: 'answer', data: { ...job, ...part } }], 'get');
		await service.send('GET', `${JOBS}/x`);
		await expectViolation(reason);
	});

	async function expectViolation(reason: string) {
		const [violation, ...others] = await service.standIn.violations();
		expect(violation).toMatchObject({ fault: 'answer', sequence: 1 });
		expect(violation?.reasons.join()).toContain(reason);
		expect(others).toEqual([]);
		await service.standIn.reset();
	}

	test('not a part of an answer, names that nobody knows, and what says that it breaks it', async () => {
		await service.standIn.queueFaults([
			{ kind: 'answer', data: { metadata: { total: '5.00' }, note: 'more' } },
			{ kind: 'answer', data: { fraudBlocked: true }, offContract: true },
			{ kind: 'html502' },
		]);
		for (let request = 0; request < 3; request++) await extract();
		expect(await service.standIn.violations()).toEqual([]);
	});
});

const uploadAs = (name: string, field?: string) => async () =>
	await service.upload('/Document/crop', 'form.pdf', name, field);
const submit = (part: object) => async () =>
	await service.submit({ inputReference: 'artifact://x', ...part });

test.each<[string, () => Promise<Seen>, string]>([
	['another form field', uploadAs('form.pdf', 'document'), 'FILE_REQUIRED'],
	['another extension', uploadAs('a.txt'), 'FILE_EXTENSION_NOT_ALLOWED'],
	[
		'a second file',
		async () =>
			await service.uploadAll('/Document/crop', [
				['file', 'form.pdf'],
				['file', 'form.pdf'],
			]),
		'TOO_MANY_FILES',
	],
	[
		'another parameter',
		async () => await service.send('GET', `${JOBS}?status=Failed`),
		'parameter_unknown',
	],
	['no reference', async () => await service.fetchFile(''), 'reference_required'],
	['a template that is no UUID', submit({ templateId: 'invoice' }), 'invalid_request'],
	['another operation', submit({ operation: 'Redaction' }), 'invalid_request'],
	['another kind of reference', submit({ inputReference: 'invoice' }), 'invalid_request'],
	['another name in its JSON', submit({ prompt: 'y' }), 'invalid_request'],
	['a body that is no JSON', async () => await service.submitText('{'), 'MALFORMED_REQUEST'],
])('a request is refused for %s than the contract has', async (_, request, code) => {
	const refused = await request();
	expect([refused.status, refused.code]).toEqual([400, code]);
});
