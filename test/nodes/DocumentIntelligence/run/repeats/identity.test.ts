import {
	digestOf,
	type Question,
} from '../../../../../nodes/DocumentIntelligence/run/repeats/identity';

const question: Question = {
	files: [['file', 'ab12']],
	storedFile: null,
	operation: 'extract',
	template: null,
	instructions: [['ComplementaryPrompt', 'Be exact']],
	node: 'node',
	workflow: 'workflow',
	credential: 'credential',
	address: 'https://api.example.com',
	isSandbox: false,
};

test('an identity stays the same with each release: files that were processed are skipped by it', () => {
	expect(digestOf(question)).toBe(
		'b5568e1d875641419f4289a21347d47c141ea9c055f57ad9aaac38507950140e',
	);
});

test('the order in which the fields are written does not matter', () => {
	const reversed = Object.fromEntries(Object.entries(question).reverse()) as unknown as Question;
	expect(digestOf(reversed)).toBe(digestOf(question));
});

test.each<[string, Partial<Question>]>([
	['another content', { files: [['file', 'cd34']] }],
	['another form field', { files: [['selfie', 'ab12']] }],
	['a stored file', { storedFile: 'artifact://1' }],
	['another operation', { operation: 'zeroShot' }],
	['a template', { template: 'invoice' }],
	['no instructions', { instructions: [] }],
	['another node', { node: 'other' }],
	['another workflow', { workflow: 'other' }],
	['another credential', { credential: null }],
	['another address', { address: 'https://other.example.com' }],
	['a sandbox key', { isSandbox: true }],
])('%s is another question', (_, change) => {
	expect(digestOf({ ...question, ...change })).not.toBe(digestOf(question));
});
