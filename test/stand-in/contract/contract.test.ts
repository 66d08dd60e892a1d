import type { Step } from '../http/route';
import { useStandIn, type Seen } from '../useStandIn';
import { violationsIn } from './checkAnswer';

const service = useStandIn();

const JOBS = '/api/v1/document-jobs';
const EXTRACTION = '/Document/extraction';

test('an answer that breaks the contract is a 500 with its reasons, and is recorded', async () => {
	await service.standIn.configure({ jobRules: [{ match: 'invoice', credits: -1 }] });
	const path = `${JOBS}/${await service.start()}`;
	const { status, code, json } = await service.send('GET', path);
	expect([status, code]).toEqual([500, 'STAND_IN_BROKE_CONTRACT']);
	expect(json.detail).toContain('/data/creditsConsumed');
	expect(await service.standIn.violations()).toMatchObject([{ path }]);
	await service.standIn.reset();
});

const total = (entry: object) => ({ metadata: { fields: { lines: [{ total: entry }] } } });

const extract = async () => await service.upload(EXTRACTION, 'invoice-us.pdf');
const getJob = async () => await service.send('GET', `${JOBS}/${await service.start()}`);
const rejected = async () => await service.fetchFile('artifact://stored/nothing');

/** What the contract does not allow as a part of a good answer, and where it says so. */
const WRONG: Array<[step: Step, path: string, () => Promise<Seen>, part: object, place: string]> = [
	['process', EXTRACTION, extract, { fraudBlocked: true }, '/data/fraudBlocked'],
	['process', EXTRACTION, extract, { fraudRequestId: 'high' }, '/data/fraudRequestId'],
	['process', EXTRACTION, extract, { quality: { overall: 2, findings: [] } }, '/data/metadata'],
	['process', EXTRACTION, extract, { quality: { overall: 3, findings: [] } }, '/data/quality'],
	['process', EXTRACTION, extract, total({ value: '1', confidence: 101 }), '/total/confidence'],
	['process', EXTRACTION, extract, total({ value: '1', confidence: -1 }), '/total/confidence'],
	['process', EXTRACTION, extract, total({ value: 1, confidence: 9 }), '/total/value'],
	['process', EXTRACTION, extract, total({ value: '1', confidence: 9, page: 1 }), '/total'],
	['process', EXTRACTION, extract, { note: 'more' }, '"note"'],
	['get', JOBS, getJob, { status: 'Paused', outputReference: null }, '/data/status'],
	['get', JOBS, getJob, { status: 'Processing' }, '/data/outputReference'],
	['get', JOBS, getJob, { operation: 'Redaction' }, '/data/outputReference'],
	['get', JOBS, getJob, { status: 'Processing', outputReference: null }, '/data/creditsConsumed'],
	['get', JOBS, getJob, { creditsConsumed: '1' }, '/data/creditsConsumed'],
	['get', JOBS, getJob, { completedAt: 'yesterday' }, '/data/completedAt'],
	['get', JOBS, getJob, { jobId: 7 }, '/data/jobId'],
	['fetch', '', rejected, { code: 7 }, '/code'],
	['fetch', '', rejected, { status: 500 }, 'another status'],
	['fetch', '', rejected, { correlationId: 'x' }, '/correlationId'],
	['fetch', '', rejected, { more: true }, '"more"'],
];

test.each(WRONG)(
	'an answer of the step %s at "%s" breaks it',
	async (step, path, ask, part, place) => {
		const { status, headers, json, data } = await ask();
		const violations = (changed: object) =>
			violationsIn(step, path, {
				status,
				headers: Object.fromEntries(headers.entries()),
				body: Buffer.from(JSON.stringify({ ...json, ...changed })),
			}).join();
		expect(violations({})).toBe('');
		expect(violations('data' in json ? { data: { ...data, ...part } } : part)).toContain(place);
	},
);

const uploadAs = (name: string, field?: string) => async () =>
	await service.upload('/Document/crop', 'form.pdf', name, field);
const submit = (part: object) => async () =>
	await service.submit({ inputReference: 'artifact://x', ...part });
const twoFiles = async () =>
	await service.uploadAll('/Document/crop', [
		['file', 'form.pdf'],
		['file', 'form.pdf'],
	]);

test.each<[string, () => Promise<Seen>, string]>([
	['another form field', uploadAs('form.pdf', 'document'), 'FILE_REQUIRED'],
	['another extension', uploadAs('a.txt'), 'FILE_EXTENSION_NOT_ALLOWED'],
	['a second file', twoFiles, 'TOO_MANY_FILES'],
	['a parameter', async () => await service.send('GET', `${JOBS}?status=x`), 'parameter_unknown'],
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
