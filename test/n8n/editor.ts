import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { isExecutable, Missing } from './processes';
import { owner } from './server';

const READY_MS = 30_000;

export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({ executablePath: findBrowser(), chromiumSandbox: false });
}

/** A browser of its own, signed in to the started n8n. */
export async function openEditor(server: {
	url: string;
}): Promise<{ page: Page; browser: Browser }> {
	const browser = await launchBrowser();
	try {
		const page = await browser.newPage({
			baseURL: server.url,
			viewport: { width: 1440, height: 900 },
			locale: 'en-US',
			// Pictures of the documentation are sharp on any screen.
			deviceScaleFactor: 2,
		});
		page.setDefaultTimeout(READY_MS);
		await page.goto('/signin');
		await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
		await page.locator('input[name="password"]').fill(owner.password);
		await byTestId(page, 'form-submit-button').click();
		await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
		return { page, browser };
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/** Shows a workflow that n8n has, with all its nodes drawn. */
export async function openWorkflow(page: Page, workflowId: string): Promise<void> {
	await page.goto(`/workflow/${workflowId}`);
	await byTestId(page, 'canvas-node').first().waitFor();
	await settled(page);
}

/** Runs the open workflow with the editor's button. Returns the words in which the editor says how it ended. */
export async function runInEditor(page: Page): Promise<string> {
	await byTestId(page, 'execute-workflow-button').click();
	const words = await readNotice(page);
	await settled(page);
	return words;
}

/** The words of a notification, which would cover a corner of every screenshot for seconds. */
export async function readNotice(page: Page): Promise<string> {
	const notice = page.locator('.el-notification').first();
	await notice.waitFor();
	const words = await notice.innerText();
	await notice.locator('.el-notification__closeBtn').click();
	await notice.waitFor({ state: 'detached' });
	return words.replace(/\s+/g, ' ').trim();
}

/** Opens a node of the open workflow: input on the left, parameters, output on the right. Returns that panel. */
export async function openNode(page: Page, name: string): Promise<Locator> {
	await nodeOnCanvas(page, name).dblclick();
	const panel = byTestId(page, 'ndv');
	await panel.waitFor();
	await byTestId(page, 'node-parameters').first().waitFor();
	await settled(page);
	return panel;
}

export async function closeNode(page: Page): Promise<void> {
	// n8n 2 has a cross, n8n 1 a way back to the canvas.
	await byTestId(page, 'ndv-close-button').or(byTestId(page, 'back-to-canvas')).click();
	await byTestId(page, 'ndv').waitFor({ state: 'hidden' });
}

/** Opens the empty form for a new credential, found by the name the user sees. Returns the dialog. */
export async function openNewCredential(page: Page, displayName: string): Promise<Locator> {
	await page.goto('/home/credentials/create');
	const search = byTestId(page, 'new-credential-type-select').locator('input');
	await search.click();
	await search.fill(displayName);
	await byTestId(page, 'new-credential-type-select-option')
		.filter({ hasText: displayName })
		.first()
		.click();
	await byTestId(page, 'new-credential-type-button').click();
	const dialog = byTestId(page, 'editCredential-modal');
	await dialog.waitFor();
	await byTestId(page, 'credential-connection-parameter').first().waitFor();
	await settled(page);
	return dialog;
}

/** The labels of the parameters that can be seen. */
export async function labelsIn(parameters: Locator): Promise<string[]> {
	const labels = byTestId(parameters, 'input-label').filter({ visible: true });
	return (await labels.allInnerTexts())
		.map((text) => text.trim().split('\n')[0] ?? '')
		.filter((text) => text !== '');
}

/** The field of a parameter in the open node or credential, by the parameter's name. */
export function parameter(page: Page, name: string): Locator {
	return byTestId(page, `parameter-input-${name}`);
}

/** n8n marks its parts with an attribute of its own. */
export function byTestId(within: Page | Locator, id: string): Locator {
	return within.locator(`[data-test-id="${id}"]`);
}

function nodeOnCanvas(page: Page, name: string): Locator {
	return page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
}

/** Nothing is being fetched, nothing moves. n8n's push connection stays open and does not count. */
async function settled(page: Page): Promise<void> {
	await page.waitForLoadState('networkidle');
	// As text, because the types of a browser are not known here.
	await page.evaluate(`(async () => {
		const ending = document
			.getAnimations()
			.filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
		await Promise.all(ending.map(async ({ finished }) => await finished.catch(() => undefined)));
	})()`);
}

/** CHROMIUM names the browser; without it the usual commands are looked for. */
function findBrowser(): string {
	const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
	const inPath = (process.env.PATH ?? '')
		.split(delimiter)
		.flatMap((folder) => names.map((name) => join(folder, name)));
	const found = [process.env.CHROMIUM ?? '', ...inPath].find(isExecutable);
	if (found === undefined)
		throw new Missing('no Chromium or Chrome was found; set CHROMIUM to the path of one');
	return found;
}
