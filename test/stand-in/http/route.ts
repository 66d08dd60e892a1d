import type { RecordedRequest } from '../state/records';
import type { UploadedForm } from './form';
import type { ServiceResponse } from './responses';

/** What a request is for, as faults, settings and records name it. */
export const steps = [
	'process',
	'store',
	'fetch',
	'submit',
	'get',
	'list',
	'cancel',
	'templates',
] as const;

export type Step = (typeof steps)[number];

/** One method of one address. */
export interface Route {
	method: 'GET' | 'POST';
	/** A segment that begins with a colon is a parameter. */
	path: string;
	step: Step;
	/** The form of the body, none by default; of a form, how much is kept of each file. */
	body?: { keptFileBytes: number } | 'json';
	/** Whether a sandbox key may use it. */
	sandbox: boolean;
	/** The files that the request is about, by which faults find it. */
	fileNames?(call: Call): string[];
	/** The job that the request asks for, or whose result it fetches; what it submits is known only when it is served. */
	jobId?(call: Call): string | undefined;
	respond(call: Call): Promise<ServiceResponse>;
}

/** A request that was let in, with its body read. */
export interface Call {
	/** The API key; it stands for the account as well. */
	key: string;
	sandbox: boolean;
	params: Record<string, string>;
	query: URLSearchParams;
	idempotencyKey: string | null;
	form: UploadedForm;
	/** The body of a JSON request, as it came. */
	text: string;
	record: RecordedRequest;
}

/** Undefined for a method or an address that the service does not have. */
export function routeOf(
	routes: Route[],
	method: string | undefined,
	path: string,
): { route: Route; params: Record<string, string> } | undefined {
	for (const route of routes) {
		const params = route.method === method ? matchPath(route.path, path) : undefined;
		if (params) return { route, params };
	}
	return undefined;
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
	const expected = pattern.split('/');
	const given = path.split('/');
	if (expected.length !== given.length) return undefined;
	const params: Record<string, string> = {};
	for (const [index, segment] of expected.entries()) {
		const value = given[index] ?? '';
		if (segment.startsWith(':')) params[segment.slice(1)] = value;
		else if (segment !== value) return undefined;
	}
	return params;
}
