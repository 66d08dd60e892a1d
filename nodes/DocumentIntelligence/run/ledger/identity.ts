import { createHash, createHmac } from 'node:crypto';

import { digestOf } from '../../files/inputFiles';
import { textsOf } from '../../operations/operation';
import { CREDENTIAL_NAME } from '../../service/account';
import { isOpen, type Ended, type Loaded, type Open, type Ready } from '../state';
import { load } from '../load';
import type { Run } from '../run';

/**
 * Two documents have one identity, whatever the release, if the same node and account would ask the same of the same
 * content. The API key is not part of it, because a new one asks the same.
 * @throws DocumentError if a file can no longer be read, or the reason of the signal
 */
export async function identityOf(
	{ operation, context, session }: Run,
	{ parts, stored, route, item }: Loaded,
	signal: AbortSignal,
): Promise<string> {
	const files: Array<[formField: string, digest: string]> = [];
	for (const { formField, file } of parts) files.push([formField, await digestOf(file, signal)]);
	const { id, credentials } = context.getNode();
	const { baseUrl, isSandbox } = session.account;
	const asked = operation.kind === 'calls' ? operation.onceOnly?.asks(item.read) : undefined;
	const templateId = route.via === 'job' ? route.templateId : asked?.templateId;
	const jobOperation = asked?.jobOperation;
	// In this order for good: the files that were processed are skipped by it.
	const question = {
		address: baseUrl,
		credential: credentials?.[CREDENTIAL_NAME]?.id ?? null,
		files,
		instructions: textsOf(operation, item.read),
		isSandbox,
		...(jobOperation !== undefined && { jobOperation }),
		node: id,
		operation: operation.value,
		// A stored file is not in n8n: its reference stands for its content.
		storedFile: stored?.reference ?? null,
		template: templateId ?? null,
		workflow: context.getWorkflow().id ?? null,
	};
	return createHash('sha256')
		.update(JSON.stringify(Object.entries(question)))
		.digest('hex');
}

/** Nobody with another API key gets a result. Without an ID of the workflow, no other execution does. */
export function keyOf({ session, isSaved, attempt }: Run, identity: string): string {
	const execution = isSaved ? '' : attempt.execution;
	return createHmac('sha256', session.account.apiKey)
		.update(identity + execution)
		.digest('hex');
}

/** A document that is ready and has an identity, or any other one. */
type Identified =
	{ document: Ready; identity: string } | { document: Open | Ended; identity?: undefined };

/** All documents; those concerned have their files at hand or have ended. */
export async function identify(
	run: Run,
	documents: Array<Open | Ended>,
	isConcerned: (document: Open) => boolean,
): Promise<Identified[]> {
	return await run.loadSlots.map(documents, async (document): Promise<Identified> => {
		if (!isOpen(document) || !isConcerned(document)) return { document };
		const loaded = await load(run, document);
		if (loaded.state !== 'ready') return { document: loaded };
		try {
			return { document: loaded, identity: await identityOf(run, loaded, run.end.sending) };
		} catch (thrown) {
			return { document: run.end.fail(loaded, thrown) };
		}
	});
}
