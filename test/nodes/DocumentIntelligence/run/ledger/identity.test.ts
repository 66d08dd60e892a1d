import type { InputFile } from '../../../../../nodes/DocumentIntelligence/files/inputFiles';
import { extract } from '../../../../../nodes/DocumentIntelligence/operations/document/extract';
import { identityOf } from '../../../../../nodes/DocumentIntelligence/run/ledger/identity';
import type { Run } from '../../../../../nodes/DocumentIntelligence/run/run';
import { readyDocument } from '../readyDocument';

/** Of the node `node`, with an invoice or a stored file. */
function runOf(isSandbox: boolean, workflow?: string, credential?: string): Run {
	const credentials = credential && { documentIntelligenceApi: { id: credential, name: '' } };
	return {
		operation: extract,
		context: {
			getNode: () => ({ id: 'node', credentials }),
			getWorkflow: () => ({ id: workflow }),
		},
		session: { account: { baseUrl: 'https://api.example.com', isSandbox, apiKey: 'any' } },
	} as unknown as Run;
}

const never = new AbortController().signal;

const content = {
	bytes: 10,
	open: async function* () {
		await Promise.resolve();
		yield Buffer.from('An invoice');
	},
};

// If one of these changes, files that were processed are processed and billed again.
test('an identity stays the same with each release: files that were processed are skipped by it', async () => {
	const document = readyDocument(0);
	document.parts = [{ formField: 'file', file: { content } as InputFile }];
	document.item.read = <T>(name: string, fallback: T) =>
		name === 'options.complementaryPrompt' ? ('Be exact' as T) : fallback;
	expect(await identityOf(runOf(false, 'workflow', 'credential'), document, never)).toBe(
		'4f682aa779367283698f456b5125b8848b29d4613e0f4396a2ea8ee00a313449',
	);
});

test('of a stored file and a template, too', async () => {
	const document = readyDocument(0);
	document.stored = { kind: 'stored', reference: 'artifact://1', name: 'a.pdf' };
	document.route = { via: 'job', operation: 'Extraction', templateId: 'invoice' };
	expect(await identityOf(runOf(true), document, never)).toBe(
		'08496efd0baeda21bc8339dbf622f03724a48dd0f6ee4071b54a3be7687826ac',
	);
});

test('a stop ends the wait for a file whose store hangs', async () => {
	const hanging = {
		...content,
		open: async function* () {
			await new Promise(() => undefined);
			yield Buffer.alloc(0);
		},
	};
	const document = readyDocument(0);
	document.parts = [{ formField: 'file', file: { content: hanging } as InputFile }];
	const stop = new AbortController();
	const identity = identityOf(runOf(false), document, stop.signal);
	stop.abort(new Error('stopped'));
	await expect(identity).rejects.toThrow('stopped');
});
