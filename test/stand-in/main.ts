import { parseArgs } from 'node:util';
import { startServer } from './server';
import type { Settings } from './settings';

/** `tsx test/stand-in/main.ts [--port N] [--until-stdin-closes] [--settings JSON]` */
async function main() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			settings: { type: 'string', default: '{}' },
			'until-stdin-closes': { type: 'boolean' },
		},
	});
	const settings = JSON.parse(values.settings) as Partial<Settings>;
	const server = await startServer(Number(values.port), settings);

	let stopping = false;
	async function stop() {
		if (stopping) return;
		stopping = true;
		await server.close();
		process.exit(0);
	}
	process.once('SIGTERM', () => void stop());
	process.once('SIGINT', () => void stop());
	if (values['until-stdin-closes']) process.stdin.once('close', () => void stop()).resume();

	console.log(JSON.stringify({ url: server.url, pid: process.pid }));
}

main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
