import { dirname, join, relative } from 'node:path';

import { publishedSources as sources, textOf } from './repository';

const MAX_FILES_OF_A_FOLDER = 14;

/** Which room imports which, and why. A new line needs a reason that a reader of the room would give. */
const REASONS: Record<string, string> = {
	'DocumentIntelligence.node.ts -> operations': 'the description of its parameters',
	'DocumentIntelligence.node.ts -> run': 'the run of its items',
	'DocumentIntelligenceTrigger.node.ts -> parameters': 'the hint for assistants',
	'DocumentIntelligenceTrigger.node.ts -> service': 'the test of its credential',
	'DocumentIntelligenceTrigger.node.ts -> trigger': 'its parameters and its poll',
	'credentials -> text': 'the names, addresses and keys of the service',
	'credentials -> service': 'the address, the key and the test of an account',
	'document -> files': 'a document has files',
	'document -> results': 'an output may be rows',
	'document -> text': 'a document may fail',
	'files -> service': 'a link is followed over a connection that fails in the same ways',
	'files -> waiting': 'a stop ends the reading of a file',
	'files -> text': 'messages that name a file',
	'operations -> document': 'what an operation gets and returns',
	'operations -> files': 'which files an operation takes, and those that it returns',
	'operations -> parameters': 'the fields of its page in the panel',
	'operations -> pdf': 'Split cuts a bundle',
	'operations -> results': 'what a response means',
	'operations -> service': 'Job and Stored File make their own requests',
	'operations -> text': 'messages about a result',
	'operations -> values': 'the option Values',
	'operations -> waiting': 'few bundles are cut at a time',
	'parameters -> text': 'messages that name a parameter',
	'results -> text': 'messages and notes about a result',
	'run -> document': 'its steps take documents and return documents',
	'run -> files': 'it loads the files of documents',
	'run -> operations': 'what differs from one operation to the next',
	'run -> parameters': 'what the parameters of an item mean for its documents',
	'run -> results': 'rows become items when all are known',
	'run -> service': 'it sends documents',
	'run -> text': 'messages and notes about a run',
	'run -> waiting': 'how many are sent at a time, and what ends a wait',
	'service -> text': 'messages about a request',
	'service -> waiting': 'the clock, and what ends a wait',
	'trigger -> operations': 'its items are those of Get Result',
	'trigger -> run': 'outputs become items as in a run',
	'trigger -> parameters': 'its fields in the panel',
	'trigger -> service': 'the list of jobs and their results',
	'trigger -> text': 'messages about a job',
	'trigger -> waiting': 'what ends a poll',
	'values -> results': 'a value is that of a field',
	'values -> text': 'exact numbers',
};

const node = 'nodes/DocumentIntelligence';

const imports = new Map(
	sources.map((path) => [
		path,
		// Schemas of outputs are data that every room may read.
		[...textOf(path).matchAll(/(?:from|import\()\s*'(\.[^']+(?<!\.json))'/g)]
			.map(([, target = '']) => `${join(dirname(path), target).replace(/\.js$/, '')}.ts`)
			.filter((target) => !target.startsWith('node_modules')),
	]),
);

/** A folder of the node, or a file that lies beside the folders; the credential is a room of its own. */
function roomOf(path: string): string {
	if (!path.startsWith(node)) return 'credentials';
	return relative(node, path).split('/')[0] ?? path;
}

const arrows = new Map<string, Set<string>>();
for (const [path, targets] of imports) {
	for (const target of targets) {
		if (roomOf(path) === roomOf(target)) continue;
		arrows.set(roomOf(path), (arrows.get(roomOf(path)) ?? new Set()).add(roomOf(target)));
	}
}

/** Everything that can be reached, without the start unless a circle leads back to it. */
function reachableFrom(
	start: string,
	next: (from: string) => Iterable<string>,
	found = new Set<string>(),
): Set<string> {
	for (const target of next(start)) {
		if (found.has(target)) continue;
		found.add(target);
		reachableFrom(target, next, found);
	}
	return found;
}

test('finds the files and imports that it judges', () => {
	expect(sources.length).toBeGreaterThan(30);
	expect([...(arrows.get('credentials') ?? [])]).toContain('service');
	expect([...imports.values()].flat().filter((target) => !sources.includes(target))).toEqual([]);
});

test('no folder has more files than one can look over', () => {
	const folders = [...new Set(sources.map((path) => dirname(path)))];
	const filesOf = (folder: string) => sources.filter((path) => dirname(path) === folder);
	expect(folders.filter((folder) => filesOf(folder).length > MAX_FILES_OF_A_FOLDER)).toEqual([]);
});

test('no two rooms and no two files import each other, directly or through others', () => {
	const rooms = [...arrows.keys()].filter((room) =>
		reachableFrom(room, (from) => arrows.get(from) ?? []).has(room),
	);
	const files = sources.filter((path) =>
		reachableFrom(path, (from) => imports.get(from) ?? []).has(path),
	);
	expect({ rooms, files }).toEqual({ rooms: [], files: [] });
});

// The room is published as one file, which has the exports of this one.
test('other rooms enter the one for values by its door', () => {
	const entered = [...imports]
		.filter(([path]) => roomOf(path) !== 'values')
		.flatMap(([, targets]) => targets.filter((target) => roomOf(target) === 'values'));
	expect([...new Set(entered)]).toEqual([`${node}/values/values.ts`]);
});

test('each arrow between rooms is listed with its reason, and each that is listed exists', () => {
	const found = [...arrows].flatMap(([from, targets]) =>
		[...targets].map((to) => `${from} -> ${to}`),
	);
	expect(found.sort()).toEqual(Object.keys(REASONS).sort());
});
