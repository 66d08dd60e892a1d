import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const MAX_FILES_OF_A_FOLDER = 14;
const MAX_ARROWS = 40;

const project = join(__dirname, '..', '..');
const node = 'nodes/DocumentIntelligence';

/** The published sources, as paths from the project's folder. */
const sources = [node, 'credentials'].flatMap((folder) =>
	readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name)),
);
const textOf = (path: string) => readFileSync(join(project, path), 'utf8');

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

test.each([...new Set(sources.map((path) => dirname(path)))])('%s has few files', (folder) => {
	const files = sources.filter((path) => dirname(path) === folder);
	expect(files.length).toBeLessThanOrEqual(MAX_FILES_OF_A_FOLDER);
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

test('few arrows lead from room to room', () => {
	const all = [...arrows].flatMap(([from, targets]) =>
		[...targets].map((to) => `${from} -> ${to}`),
	);
	expect(all.length).toBeLessThanOrEqual(MAX_ARROWS);
});

test('the pure rooms import texts only', () => {
	for (const room of ['results', 'parameters', 'text'])
		expect([...(arrows.get(room) ?? [])].filter((other) => other !== 'text')).toEqual([]);
});
