/** Installs every n8n that the tests use, where it is not there yet: `npx tsx test/n8n/installAll.ts`. */
import { installN8n } from './install';
import { n8nVersions } from './recipes';

async function main(): Promise<void> {
	for (const version of n8nVersions) await installN8n(version);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
