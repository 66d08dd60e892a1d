import { until } from './until';

/** A page of one of n8n's forms, as a browser gets it. */
export interface FormPage {
	url: string;
	html: string;
	/** Inputs in their order, with the values that they are filled in with. */
	fields: Array<{ name: string; label: string; value: string }>;
}

/** A text, a file or several files for each input, by its label; inputs that are not named keep their values. */
export type Entries = Record<string, string | File | File[]>;

/** Until the next page is there. */
const PAGE_SECONDS = 60;

/** The first page of a form. */
export async function openForm(url: string): Promise<FormPage> {
	const response = await fetch(url);
	const html = await response.text();
	if (!response.ok) throw new Error(`GET ${url}: ${response.status} ${html.slice(0, 300)}`);
	return { url, html, fields: fieldsIn(html) };
}

/**
 * Fills a page in and sends it, as the script of n8n's page does.
 *
 * @returns the next page, once the workflow has come to it
 */
export async function submitForm(page: FormPage, entries: Entries): Promise<FormPage> {
	const text = await submitOnlyPage(page, entries);
	// The first page is told the address of the others; these keep it.
	const told = text.startsWith('{') ? (JSON.parse(text) as { formWaitingUrl?: string }) : {};
	return await nextPage(told.formWaitingUrl ?? page.url);
}

/**
 * The same for a form that has no other page.
 *
 * @returns what n8n answers
 */
export async function submitOnlyPage(page: FormPage, entries: Entries): Promise<string> {
	const body = new FormData();
	const unknown = new Set(Object.keys(entries));
	for (const { name, label, value } of page.fields) {
		unknown.delete(label);
		for (const entry of [entries[label] ?? value].flat()) body.append(name, entry);
	}
	if (unknown.size > 0)
		throw new Error(
			`the form has no ${[...unknown].join(', ')}; it has ${page.fields.map(({ label }) => label).join(', ')}`,
		);
	const response = await fetch(page.url, { method: 'POST', body });
	const text = await response.text();
	if (!response.ok) throw new Error(`POST ${page.url}: ${response.status} ${text.slice(0, 300)}`);
	return text;
}

/** The last page tells n8n that it was shown, which ends the execution. */
export async function finishForm(page: FormPage): Promise<void> {
	const response = await fetch(page.url, { method: 'POST' });
	if (!response.ok) throw new Error(`POST ${page.url}: ${response.status}`);
}

async function nextPage(url: string): Promise<FormPage> {
	const status = new URL(url);
	status.pathname += '/n8n-execution-status';
	const isThere = async () => {
		// n8n may close a connection that it has kept open in the moment in which it is used again.
		const response = await fetch(status).catch(() => undefined);
		const said = response === undefined ? 'running' : (await response.text()).trim();
		if (!['form-waiting', 'running', 'new', 'waiting'].includes(said))
			throw new Error(`the workflow came to no other page of the form: ${said.slice(0, 300)}`);
		return said === 'form-waiting';
	};
	await until(isThere, PAGE_SECONDS, 'no page of the form');
	return await openForm(url);
}

function fieldsIn(html: string): FormPage['fields'] {
	const labels = new Map(
		[...html.matchAll(/<label[^>]*\bfor=["']([^"']+)["'][^>]*>([^<]*)</g)].map(
			([, id = '', label = '']) => [id, textOf(label)],
		),
	);
	return [...html.matchAll(/<(?:input|select)\b[^>]*>/g)].flatMap(([input]) => {
		const attribute = (name: string) =>
			textOf(new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(input)?.slice(1).join('') ?? '');
		const name = attribute('name');
		return /^field-\d+$/.test(name)
			? [{ name, label: labels.get(name) ?? '', value: attribute('value') }]
			: [];
	});
}

/** Characters as a browser shows them. */
function textOf(html: string): string {
	const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
	return html
		.trim()
		.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(amp|lt|gt|quot));/gi, (_, decimal, hex, name) =>
			name === undefined
				? String.fromCodePoint(decimal ? Number(decimal) : parseInt(String(hex), 16))
				: (entities[String(name).toLowerCase()] ?? ''),
		);
}
