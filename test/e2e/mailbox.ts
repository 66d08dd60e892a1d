import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { differences, readRows } from '../../examples/spreadsheet';
import type { Truth } from '../../examples/documents/make/truth';
import { calendarFile, composeMail, gifSignature } from '../mail';
import { n8nVersions } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import { until } from './clock';
import { startMailServer } from './dovecot';
import { addCredential, documents, fresh, withHost, type Setting } from './setting';
import { documentIntelligence, node, nothing, reasonOf, workflow } from './workflows';

/** Documents that arrive by email or through a web form. */
export async function mailbox(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		await withHost(setting, { version, binaryData: 'filesystem' }, async (server) => {
			await fresh(setting.standIn);
			await addCredential(server, setting.standIn);
			await check(
				`A mail with two invoices becomes a spreadsheet in n8n ${version}`,
				async () => await mail(setting, server),
			);
			await check(
				`A form with two pictures becomes a match of faces in n8n ${version}`,
				async () => await form(server),
			);
		});
	}
}

async function mail({ folder }: Setting, server: Server): Promise<string> {
	const mailServer = await startMailServer();
	try {
		const { port, user, password } = mailServer;
		await server.addCredential({
			name: 'Mailbox',
			type: 'imap',
			data: {
				user,
				password,
				host: '127.0.0.1',
				port,
				secure: false,
				allowUnauthorizedCerts: false,
			},
		});
		const spreadsheet = join(folder, `mailbox-${port}.xlsx`);
		const id = await server.addWorkflow(
			workflow('Mailbox', [
				node(
					'Email Trigger (IMAP)',
					'n8n-nodes-base.emailReadImap',
					2,
					{ downloadAttachments: true, format: 'resolved', options: {} },
					{
						credentials: { imap: { name: 'Mailbox' } },
					},
				),
				documentIntelligence({
					operation: 'extract',
					binaryPropertyName: '*',
					output: 'rows',
					options: { ignoreUnsupportedFiles: true },
				}),
				node('Make Spreadsheet', 'n8n-nodes-base.convertToFile', 1.1, {
					operation: 'xlsx',
					options: {},
				}),
				node('Write', 'n8n-nodes-base.readWriteFile', 1, {
					operation: 'write',
					fileName: spreadsheet,
					options: {},
				}),
			]),
		);
		await server.activate(id);
		// n8n reads only emails that arrive after it has opened the mailbox.
		await until(mailServer.isWatched, 20, 'n8n did not wait for mails');
		const invoice = async (fileName: string) => ({
			fileName,
			contentType: 'application/pdf',
			content: await readFile(join(documents, fileName)),
		});
		await mailServer.deliver(
			composeMail('Two invoices for October', [
				await invoice('invoice-de.pdf'),
				{ fileName: 'logo.gif', contentType: 'image/gif', content: gifSignature, inline: true },
				{ fileName: 'due.ics', contentType: 'text/calendar', content: calendarFile },
				await invoice('invoice-uk.pdf'),
			]),
		);
		const execution = await server.triggeredExecution(id);
		expect(execution.status === 'success', reasonOf(execution));
		const [message] = execution.items('Email Trigger (IMAP)');
		expectEqual(
			Object.values(message?.binary ?? {})
				.map(({ fileName }) => fileName)
				.sort(),
			['due.ics', 'invoice-de.pdf', 'invoice-uk.pdf', 'logo.gif'],
			'attachments',
		);

		const truth = JSON.parse(await readFile(join(documents, 'truth.json'), 'utf8')) as Record<
			string,
			Truth
		>;
		const rows = await readRows(spreadsheet);
		const wrong = differences(
			rows,
			Object.entries(truth).filter(([file]) => ['invoice-de.pdf', 'invoice-uk.pdf'].includes(file)),
		);
		expectEqual(wrong.slice(0, 5), [], 'cells');
		const hints = execution.record('Document Intelligence').hints ?? [];
		expect(
			hints.some(({ message: words }) => words.includes('logo.gif') && words.includes('due.ics')),
			`the hint is ${JSON.stringify(hints)}`,
		);
		return `${rows.length} rows, every cell as the invoices say; hint: ${hints.map(({ message: words }) => words).join(' ')}`;
	} finally {
		await mailServer.stop();
	}
}

async function form(server: Server): Promise<string> {
	const path = 'identity';
	const field = (fieldLabel: string) => ({
		fieldLabel,
		fieldType: 'file',
		multipleFiles: false,
		acceptFileTypes: '.jpg, .png',
		requiredField: true,
	});
	const id = await server.addWorkflow(
		workflow('Form', [
			node(
				'On form submission',
				'n8n-nodes-base.formTrigger',
				2.2,
				{
					path,
					formTitle: 'Who are you?',
					formFields: { values: [field('Selfie'), field('Identity Card')] },
					options: {},
				},
				{ webhookId: path },
			),
			documentIntelligence({ operation: 'faceMatch', selfieField: 'Selfie', documentsField: '*' }),
			nothing('Next'),
		]),
	);
	await server.activate(id);
	const body = new FormData();
	body.append(
		'field-0',
		new Blob([await readFile(join(documents, 'portrait.png'))], { type: 'image/png' }),
		'me.png',
	);
	body.append(
		'field-1',
		new Blob([await readFile(join(documents, 'id-card.png'))], { type: 'image/png' }),
		'card.png',
	);
	const answer = await fetch(`${server.url}/form/${path}`, { method: 'POST', body });
	expect(
		answer.ok,
		`the form was answered with ${answer.status}: ${(await answer.text()).slice(0, 200)}`,
	);
	const execution = await server.triggeredExecution(id);
	expect(execution.status === 'success', reasonOf(execution));
	const [submitted] = execution.items('On form submission');
	const [result] = execution.items('Next');
	expectEqual(result?.json.matched, true, 'matched');
	return `fields ${Object.keys(submitted?.binary ?? {}).join(' and ')}: they match, score ${JSON.stringify(result?.json.bestScore)}`;
}
