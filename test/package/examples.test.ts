import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '..', '..', 'examples');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

interface Node {
	name: string;
	type: string;
	position: [number, number];
	parameters: { width?: number; height?: number; content?: string };
}

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** Pixels of n8n's canvas. A node's position is that of its square; its name is centered below, in up to two lines. */
const NODE = { width: 100, height: 100, besideName: 50, name: 50 };

/** What n8n gives a note that does not say. */
const NOTE = { width: 240, height: 160 };

function boxOf({ name, type, position: [left, top], parameters }: Node): Box {
	if (type === STICKY_NOTE) {
		const { width = NOTE.width, height = NOTE.height } = parameters;
		return { name, left, top, right: left + width, bottom: top + height };
	}
	return {
		name,
		left: left - NODE.besideName,
		top,
		right: left + NODE.width + NODE.besideName,
		bottom: top + NODE.height + NODE.name,
	};
}

function overlap(one: Box, other: Box): boolean {
	return (
		one.left < other.right &&
		other.left < one.right &&
		one.top < other.bottom &&
		other.top < one.bottom
	);
}

describe.each(files)('The example %s', (file) => {
	const { nodes } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { nodes: Node[] };
	const notes = nodes.filter(({ type }) => type === STICKY_NOTE);

	test('has a note that says what it does', () => {
		expect(notes).toHaveLength(1);
		expect(notes[0]?.parameters.content?.length).toBeGreaterThan(100);
	});

	test('shows no two things on top of each other', () => {
		const boxes = nodes.map(boxOf);
		const overlapping = boxes.flatMap((one, place) =>
			boxes
				.slice(place + 1)
				.filter((other) => overlap(one, other))
				.map((other) => `${one.name} and ${other.name}`),
		);
		expect(overlapping).toEqual([]);
	});

	test('has nodes that a user understands without code', () => {
		expect(nodes.filter(({ type }) => /\.(code|function(Item)?)$/.test(type))).toEqual([]);
	});

	test('is listed in the README of the examples, with a picture', () => {
		const readme = readFileSync(join(folder, 'README.md'), 'utf8');
		expect(readme).toContain(`[${file}](${file}): `);
		expect(readme).toContain(`](../docs/images/example-${file.replace('.json', '.png')})`);
	});
});
