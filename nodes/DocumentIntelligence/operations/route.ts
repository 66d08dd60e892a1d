import type { InputItem, Named, Route } from '../document/document';
import { PROCESSING, TEMPLATE } from '../parameters/options';
import { readTemplateId, type ReadParameter } from '../parameters/read';
import { DocumentError } from '../text/errors';
import { textsOf, type Operation } from './operation';

/** The route that an item's parameters choose for its documents. */
export function readRoute(operation: Operation, read: ReadParameter, isSandbox: boolean): Route {
	const { kind, jobOperation, parameters } = operation;
	if (kind === 'calls') return { via: 'calls' };
	if (jobOperation === undefined) return { via: 'direct' };
	const templateId = parameters.includes(TEMPLATE) ? readTemplateId(read) : undefined;
	const processing = read(`options.${PROCESSING.name}`, PROCESSING.default);
	const isChosen = processing === 'job' || (processing === 'automatic' && isSandbox);
	// Only jobs take a template or a stored file.
	const isStored = read<unknown>('inputSource', '') === 'storedFile';
	return isChosen || isStored || templateId !== undefined
		? { via: 'job', operation: jobOperation, templateId }
		: { via: 'direct' };
}

/** Why a document cannot take its route, said before anything is sent. */
export function checkRoute(
	operation: Operation,
	{ item, subject, route }: Named & { item: InputItem; route: Route },
	isSandbox: boolean,
): DocumentError | undefined {
	if (route.via === 'calls') return undefined;
	if (isSandbox && operation.jobOperation === undefined)
		return new DocumentError(
			`${operation.name} needs a live key, so ${subject} was not sent`,
			'Choose a credential with a live key (xtkt_live_). A sandbox key works with jobs only.',
		);
	if (isSandbox && route.via === 'direct')
		return new DocumentError(
			`A sandbox key works with jobs only, so ${subject} was not sent`,
			"Set 'Processing' to Automatic or As a Job, or use a live key (xtkt_live_).",
		);
	if (route.via === 'job' && textsOf(operation, item.read).length > 0)
		return new DocumentError(
			"Jobs don't support 'Additional Instructions'",
			"Clear 'Additional Instructions', or set 'Processing' to Direct. Stored files, documents with a chosen template and all documents sent with a sandbox key are always processed as jobs. Nothing was sent.",
		);
	return undefined;
}
