import type { Step } from '../http/route';
import { useStandIn, type Seen } from '../useStandIn';
import { violationsIn } from './checkAnswer';

const service = useStandIn();

const JOBS = '/api/v1/document-jobs';

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
	expect(await service.standIn.violations()).toMatchObject([{ path }]);
	await service.standIn.reset();
});

describe('A part of an answer that the contract does not allow breaks it', () => {
	/** What is wrong with a good response if a part of its data is another one. */
	function wrongIn({ status, headers, json, data }: Seen, step: Step, path: string, part: object) {
		const body = Buffer.from(JSON.stringify({ ...json, data: { ...data, ...part } }));
		const answer = { status, headers: Object.fromEntries(headers.entries()), body };
		return violationsIn(step, path, answer).join();
	}

	const lines = (entry: object) => ({ metadata: { fields: { lines: [{ total: entry }] } } });

	test('of Extract', async () => {
		const path = '/Document/extraction';
		const good = await service.upload(path, 'invoice-us.pdf');
		const wrong: Array<[part: object, place: string]> = [
			[{ fraudBlocked: true }, '/data/fraudBlocked'],
			[{ fraudRequestId: 'high' }, '/data/fraudRequestId'],
			[{ quality: { overall: 2, findings: [] } }, '/data/metadata'],
			[{ quality: { overall: 3, findings: [] } }, '/data/quality'],
			[lines({ value: '1', confidence: 101 }), '/total/confidence'],
			[lines({ value: '1', confidence: -1 }), '/total/confidence'],
			[lines({ value: 1, confidence: 9 }), '/total/value'],
			[lines({ value: '1', confidence: 9, page: 1 }), '/total'],
			[{ note: 'more' }, '"note"'],
		];
		expect(wrongIn(good, 'process', path, {})).toBe('');
		for (const [part, place] of wrong)
			expect(wrongIn(good, 'process', path, part)).toContain(place);
	});

	test('of a job', async () => {
		const good = await service.send('GET', `${JOBS}/${await service.start()}`);
		const wrong: Array<[part: object, place: string]> = [
			[{ status: 'Paused', outputReference: null }, '/data/status'],
			[{ status: 'Processing' }, '/data/outputReference'],
			[{ operation: 'Redaction' }, '/data/outputReference'],
			[{ status: 'Processing', outputReference: null }, '/data/creditsConsumed'],
			[{ creditsConsumed: '1' }, '/data/creditsConsumed'],
			[{ completedAt: 'yesterday' }, '/data/completedAt'],
			[{ jobId: 7 }, '/data/jobId'],
		];
		expect(wrongIn(good, 'get', JOBS, {})).toBe('');
		for (const [part, place] of wrong) expect(wrongIn(good, 'get', JOBS, part)).toContain(place);
	});

	test('of a rejection', async () => {
		const { headers, json } = await service.fetchFile('artifact://stored/nothing');
		const withBody = (changes: object) =>
			violationsIn('fetch', '', {
				status: 404,
				headers: Object.fromEntries(headers.entries()),
				body: Buffer.from(JSON.stringify({ ...json, ...changes })),
			});
		expect(withBody({})).toEqual([]);
		for (const changes of [{ code: 7 }, { status: 500 }, { correlationId: 'x' }, { more: true }])
			expect(withBody(changes)).not.toEqual([]);
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
