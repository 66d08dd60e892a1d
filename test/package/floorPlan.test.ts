import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const project = join(__dirname, '..', '..');
const node = 'nodes/DocumentIntelligence';

/** What is published, as paths from the project's folder. */
const sources = [node, 'credentials'].flatMap((folder) =>
	readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name)),
);

/** A folder of the node, or a file that lies beside the folders; the credential is one of its own. */
function roomOf(path: string): string {
	if (!path.startsWith(node)) return 'credentials';
	return relative(node, path).split('/')[0] ?? path;
}

function importsOf(path: string): string[] {
	const text = readFileSync(join(project, path), 'utf8');
	return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target = '']) =>
		join(dirname(path), target),
	);
}

const arrows = new Map<string, Set<string>>();
for (const source of sources) {
	for (const target of importsOf(source)) {
		if (roomOf(source) === roomOf(target)) continue;
		arrows.set(roomOf(source), (arrows.get(roomOf(source)) ?? new Set()).add(roomOf(target)));
	}
}

/** Every room on the way down, from here to the lowest. */
function longestWayDown(room: string, above: string[] = []): string[] {
	if (above.includes(room)) throw new Error(`In a circle: ${[...above, room].join(' -> ')}`);
	const below = [...(arrows.get(room) ?? [])].map((other) =>
		longestWayDown(other, [...above, room]),
	);
	return [
		room,
		...below.reduce((longest, way) => (way.length > longest.length ? way : longest), []),
	];
}

test('finds the imports that it is about', () => {
	expect(sources.length).toBeGreaterThan(30);
	expect([...(arrows.get('credentials') ?? [])]).toContain('service');
});

test('no two rooms import each other, directly or by way of others', () => {
	for (const room of arrows.keys()) expect(longestWayDown(room).length).toBeLessThanOrEqual(7);
});

test('there are few ways between rooms', () => {
	const count = [...arrows.values()].reduce((sum, targets) => sum + targets.size, 0);
	expect(count).toBeLessThanOrEqual(25);
});

test('what is pure imports nothing above it', () => {
	const allowed = ['errors.ts', 'text', 'http'];
	for (const room of ['results', 'http', 'text']) {
		expect([...(arrows.get(room) ?? [])].filter((other) => !allowed.includes(other))).toEqual([]);
	}
});
