import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

const folder = join(__dirname, '..', '..', 'examples');
const docs = join(folder, '..', 'docs');
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
	parameters: {
		width?: number;
		height?: number;
		content?: string;
		jsonOutput?: string;
		options?: { formDescription?: string; responseFormDescription?: string };
	};
	credentials?: Record<string, object>;
}

/** Text of a document that would be a link if a page showed it as HTML. */
const HOSTILE = JSON.stringify(['<a href="https://attacker.example">Pay here</a>']);

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

	test('has a note that says how it is started', () => {
		expect(notes[0]?.parameters.content).toMatch(/\*\*Execute workflow\*\*|Publish the workflow/);
	});

	test('has a note that says where a form is that stays in use beside another trigger', () => {
		const starts = nodes.filter(({ type }) => /trigger$|\.emailReadImap$/i.test(type));
		const form = starts.find(({ type }) => type.endsWith('.formTrigger'));
		const places = form === undefined || starts.length === 1 ? [] : ['Production URL', form.name];
		for (const place of places) expect(notes[0]?.parameters.content).toContain(place);
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

	test('names credentials without an ID, which would be that of another n8n', () => {
		const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		for (const credential of credentials) expect(Object.keys(credential)).toEqual(['name']);
	});

	test('shows no text of a document as HTML', () => {
		const descriptions = nodes.flatMap(({ parameters: { options = {} } }) => [
			options.formDescription ?? '',
			options.responseFormDescription ?? '',
		]);
		const $json = new Proxy({}, { get: () => HOSTILE });
		const shown = descriptions.flatMap((description) =>
			[...description.matchAll(/\{\{(.*?)\}\}/g)].map(([, expression = '']) =>
				String(runInNewContext(expression, { $json })),
			),
		);
		expect(shown.filter((text) => text.includes('<'))).toEqual([]);
	});

	test('is listed in the README of the examples, with a picture', () => {
		const readme = readFileSync(join(folder, 'README.md'), 'utf8');
		expect(readme).toContain(`[${file}](${file}): `);
		expect(readme).toContain(`](../docs/images/example-${file.replace('.json', '.png')})`);
	});
});

test('The form of Review by Email says why, without an option that its reader does not have', () => {
	const text = readFileSync(join(folder, 'review-by-email.json'), 'utf8');
	const { nodes } = JSON.parse(text) as { nodes: Node[] };
	const form = nodes.find(({ name }) => name === 'Ask a Person')?.parameters.jsonOutput;
	const expression = /^=\{\{(.*)\}\}$/s.exec(form ?? '')?.[1] ?? '';
	const json = {
		fileName: 'invoice.pdf',
		reviewReasons:
			'(1) invoiceDate can be 2026-03-11 or 2026-11-03: set Date Order; total has no value',
	};
	const $ = () => ({ first: () => ({ json }) });
	const [reasons] = JSON.parse(JSON.stringify(runInNewContext(expression, { $ }))) as [
		{ html: string },
	];
	expect(reasons.html).toBe(
		'<p>invoice.pdf</p><p>(1) invoiceDate can be 2026-03-11 or 2026-11-03</p><p>total has no value</p>',
	);
});

const snippets = readdirSync(join(folder, 'nodes'));

test.each(snippets)('The text of %s can be pasted on the canvas, and a page says so', (file) => {
	const text = readFileSync(join(folder, 'nodes', file), 'utf8');
	const { nodes, connections } = JSON.parse(text) as { nodes: Node[]; connections: object };
	expect(nodes.map(({ type }) => type)).toEqual([
		expect.stringMatching(/^n8n-nodes-base\.(if|filter)$/),
	]);
	expect(connections).toEqual({});
	const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
	const linking = pages.filter((name) =>
		readFileSync(join(docs, name), 'utf8').includes(`](../examples/nodes/${file})`),
	);
	expect(linking.length).toBeGreaterThan(0);
});
