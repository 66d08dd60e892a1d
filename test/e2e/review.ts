import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { launchBrowser } from '../n8n/editor';
import { createHost } from '../n8n/host';
import { freePorts } from '../n8n/processes';
import { n8nVersions } from '../n8n/recipes';
import { check } from './checks';
import { CREDENTIAL } from './exampleWorkflow';
import { checkReviewByEmail } from './reviewExample';
import { addCredential, fresh, type Setting } from './setting';

/** A person gets an email, corrects values in a browser, and n8n is restarted in between. */
export async function review({ standIn, tarball, folder }: Setting): Promise<void> {
	// The latest last, because the picture is taken in each.
	for (const version of n8nVersions.toReversed()) {
		await check(`A person corrects values by email in n8n ${version}`, async () => {
			await fresh(standIn);
			const userFolder = join(folder, `review-${version}`);
			await mkdir(userFolder, { recursive: true });
			const [port] = await freePorts(1);
			// The link in an email has the port of n8n, which outlives a restart.
			const env = { N8N_PORT: String(port) };
			const options = { packageTarball: tarball, version, userFolder, env } as const;
			const browser = await launchBrowser();
			let host = await createHost(options);
			try {
				const server = await host.start();
				await addCredential(server, standIn, { name: CREDENTIAL });
				const page = await browser.newPage({ viewport: { width: 800, height: 1200 } });
				return await checkReviewByEmail(
					{ server, standIn, outputFolder: folder },
					page,
					async () => {
						await host.stop();
						host = await createHost(options);
						return await host.start();
					},
				);
			} finally {
				await host.stop();
				await browser.close();
			}
		});
	}
}
