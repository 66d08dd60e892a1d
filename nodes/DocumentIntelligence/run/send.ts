import { LISTED_JOBS } from '../service/jobs/jobWatch';
import { Slots } from '../waiting/waiting';
import { isOpen, type Ended, type Open } from './state';
import { requestEach, requestTogether } from './group';
import { load } from './load';
import type { Run } from './run';

/** @returns all documents, each with its end, in order of place */
export async function send(run: Run, documents: Array<Open | Ended>): Promise<Ended[]> {
	const open = documents.filter(isOpen);
	const { operation } = run;
	const waitsForJobs = operation.kind === 'calls' && operation.waitsForJobs === true;
	const isWaiting = ({ route, earlier }: Open) =>
		waitsForJobs || route.via === 'job' || earlier !== null;
	const direct = open.filter((document) => !isWaiting(document));
	const sent = await Promise.all([
		// A job that runs holds no connection: only its upload counts for Concurrent Requests.
		new Slots(LISTED_JOBS).map(
			open.filter(isWaiting),
			async (document) => await sendGroup(run, [document]),
		),
		run.requestSlots.map(groupsOf(direct), async (group) => await sendGroup(run, group)),
	]);
	const ended = documents.filter((document) => !isOpen(document));
	return [...ended, ...sent.flat(2)].sort((first, second) => first.place - second.place);
}

/** By Files per Request of the first document that has more than one. */
function groupsOf(documents: Open[]): Open[][] {
	const groups: Open[][] = [];
	let filling: Open[] = [];
	for (const document of documents) {
		const { filesPerRequest } = document.settings;
		if (filesPerRequest === 1) groups.push([document]);
		else {
			if (filling.length === 0) groups.push(filling);
			filling.push(document);
			if (filling.length >= (filling[0]?.settings.filesPerRequest ?? 1)) filling = [];
		}
	}
	return groups;
}

async function sendGroup(run: Run, group: Open[]): Promise<Ended[]> {
	const { operation } = run;
	const loaded = await run.loadSlots.map(group, async (document) => await load(run, document));
	const [first, ...others] = loaded.filter((document) => document.state === 'ready');
	const ended = loaded.filter((document) => document.state !== 'ready');
	if (first === undefined) return ended;
	if (others.length === 0 || operation.kind === 'calls')
		return [...ended, ...(await requestEach(run, [first, ...others]))];
	return [...ended, ...(await requestTogether(run, operation, [first, ...others]))];
}
