import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { filesIn, repository, textOf } from './repository';

const files = readdirSync(join(repository, 'examples')).filter((name) => name.endsWith('.json'));

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

/** In pixels of n8n's canvas. The name of a node is centered below its square, in up to two lines, and may be wider. */
function boxOf({ name, type, position: [left, top], parameters }: Node) {
	const isNote = type === STICKY_NOTE;
	// What n8n gives a note that does not say.
	const { width, height } = isNote ? { width: 240, height: 160, ...parameters } : NODE_WITH_NAME;
	const start = isNote ? left : left - 50;
	return { name, left: start, top, right: start + width, bottom: top + height };
}

const NODE_WITH_NAME = { width: 200, height: 150 };

type Box = ReturnType<typeof boxOf>;

const overlap = (one: Box, other: Box) =>
	Math.max(one.left, other.left) < Math.min(one.right, other.right) &&
	Math.max(one.top, other.top) < Math.min(one.bottom, other.bottom);

describe.each(files)('The example %s', (file) => {
	const { nodes } = JSON.parse(textOf(`examples/${file}`)) as { nodes: Node[] };
	const notes = nodes.filter(({ type }) => type === STICKY_NOTE);

	test('has a note that says what it does, how it is started, and where its form is', () => {
		expect(notes).toHaveLength(1);
		const text = notes[0]?.parameters.content;
		expect(text?.length).toBeGreaterThan(100);
		expect(text).toMatch(/\*\*Execute workflow\*\*|Publish the workflow/);
		const starts = nodes.filter(({ type }) => /trigger$|\.emailReadImap$/i.test(type));
		const form = starts.find(({ type }) => type.endsWith('.formTrigger'));
		// A form beside another trigger stays in use.
		const places = form === undefined || starts.length === 1 ? [] : ['Production URL', form.name];
		for (const place of places) expect(text).toContain(place);
	});

	test('shows no two things on top of each other', () => {
		const boxes = nodes.map(boxOf);
		const covered = boxes.filter((one) =>
			boxes.some((other) => one !== other && overlap(one, other)),
		);
		expect(covered).toEqual([]);
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
		const readme = textOf('examples/README.md');
		expect(readme).toContain(`[${file}](${file}): `);
		expect(readme).toContain(`](../docs/images/example-${file.replace('.json', '.png')})`);
	});
});

test('The form of Review by Email says why, without an option that its reader does not have', () => {
	const { nodes } = JSON.parse(textOf('examples/review-by-email.json')) as { nodes: Node[] };
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

test.each(filesIn('examples/nodes', ''))(
	'the text of %s can be pasted on the canvas, and a page says so',
	(file) => {
		const { nodes, connections } = JSON.parse(textOf(file)) as {
			nodes: Node[];
			connections: object;
		};
		expect(nodes.map(({ type }) => type)).toEqual([
			expect.stringMatching(/^n8n-nodes-base\.(if|filter)$/),
		]);
		expect(connections).toEqual({});
		const pages = filesIn('docs', '.md').map(textOf);
		expect(pages.filter((text) => text.includes(`](../${file})`))).not.toEqual([]);
	},
);
