import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

import type { Truth } from '../../examples/documents/make/truth';
import { createHost, type Host, type HostOptions } from '../n8n/host';
import { closeAtEnd } from '../n8n/processes';
import type { Server } from '../n8n/server';
import { startScriptedServer, type ScriptedServer } from '../nodes/scriptedServer';
import type { RecordedRequest, StandIn } from '../stand-in/startStandIn';

/** What a part needs. */
export interface Setting {
	/** The node as it would be published. */
	tarball: string;
	/** For files that a part creates; removed at the end. */
	folder: string;
	/** Shared by parts that run one after the other. */
	standIn: StandIn;
}

export const repository = join(__dirname, '..', '..');

export const documents = join(repository, 'examples', 'documents');

/** The expected values of the sample documents. */
export const truth = JSON.parse(readFileSync(join(documents, 'truth.json'), 'utf8')) as Record<
	string,
	Truth
>;

export const invoices = Object.entries(truth).filter(([file]) => /^invoice-.*\.pdf$/.test(file));

/** Third-party documents, in a folder next to the repository if there is one. */
const besideRepository = join(repository, '..', 'shared', 'documents');

/** The real path, which n8n compares with the folders that it may read. */
export const realDocuments = existsSync(besideRepository)
	? realpathSync(besideRepository)
	: besideRepository;

/** A host, as the names of checks say it. */
export function nameOf(version: string, binaryData: 'default' | 'filesystem'): string {
	return `n8n ${version}, files ${binaryData === 'default' ? 'in memory' : 'on disk'}`;
}

/** Starts an n8n with the packed node, and stops it even after an error. */
export async function withHost<Result>(
	{ tarball, folder }: Setting,
	options: Omit<HostOptions, 'packageTarball'>,
	work: (server: Server, host: Host) => Promise<Result>,
): Promise<Result> {
	const host = await createHost({
		packageTarball: tarball,
		files: [documents, realDocuments, folder],
		...options,
	});
	try {
		return await work(await host.start(), host);
	} finally {
		await host.stop();
	}
}

let keys = 0;

/** A new key has a separate rate limit window, so no check waits for another. */
export function newKey(): string {
	keys += 1;
	return `xtkt_live_valid_e2e_${process.pid}_${keys}`;
}

/** The name under which workflows find a credential that `addCredential` added. */
export const CREDENTIAL = 'Document Intelligence';

/** A credential for the stand-in, with a higher limit than checks reach that are not of the rate limit. */
export async function addCredential(
	server: Server,
	standIn: StandIn,
	{
		name = CREDENTIAL,
		apiKey = newKey(),
		baseUrl = standIn.url,
		requestsPerMinute = 1_000_000,
	} = {},
): Promise<string> {
	await server.addCredential({
		name,
		type: 'documentIntelligenceApi',
		data: { apiKey, region: 'custom', baseUrl, requestsPerMinute },
	});
	return apiKey;
}

/** Resets the stand-in, without a rate limit. */
export async function fresh(standIn: StandIn, requestsPerWindow = 1_000_000): Promise<void> {
	await standIn.reset();
	await standIn.configure({ requestsPerWindow });
}

/** The requests that arrive from now on. */
export async function requestsFromNow(standIn: StandIn): Promise<() => Promise<RecordedRequest[]>> {
	const before = (await standIn.requests()).length;
	return async () => (await standIn.requests()).slice(before);
}

/** The requests with a key, which no other check uses. */
export async function requestsWith(standIn: StandIn, apiKey: string): Promise<RecordedRequest[]> {
	const ending = apiKey.slice(-4);
	return (await standIn.requests()).filter(({ keyEnding }) => keyEnding === ending);
}

/** The address of a server on this machine by its name, which counts as another host. */
export function byName(url: string): string {
	return url.replace('127.0.0.1', 'localhost');
}

/** A server that answers as a check says, until the end of all checks. */
export async function scriptedServer(
	...start: Parameters<typeof startScriptedServer>
): Promise<ScriptedServer> {
	const server = await startScriptedServer(...start);
	closeAtEnd(server);
	return server;
}

/** What a server that is not Cogneris answers. */
export const OTHER_JSON = {
	headers: { 'content-type': 'application/json' },
	body: '{"hello":true}',
};
