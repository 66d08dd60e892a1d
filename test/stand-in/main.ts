import { parseArgs } from 'node:util';
import { startServer } from './server';
import { settingsFromCommandLine, type Settings } from './settings';

/** `tsx test/stand-in/main.ts [--port N] [--until-stdin-closes] [--settings JSON] [--requests-per-window 50 …]` */
async function main() {
	const { values } = parseArgs({
		strict: false,
		options: optionsWithValues(process.argv.slice(2)),
	});
	const { port = '0', settings = '{}', 'until-stdin-closes': untilStdinCloses } = values;
	const server = await startServer(Number(port), {
		...(JSON.parse(String(settings)) as Partial<Settings>),
		...settingsFromCommandLine(values),
	});

	let stopping = false;
	async function stop() {
		if (stopping) return;
		stopping = true;
		await server.close();
		process.exit(0);
	}
	process.once('SIGTERM', () => void stop());
	process.once('SIGINT', () => void stop());
	if (untilStdinCloses) process.stdin.once('close', () => void stop()).resume();

	console.log(JSON.stringify({ url: server.url, pid: process.pid }));
}

/** Every option but the one switch takes a value, also one that begins with a dash. */
function optionsWithValues(args: string[]) {
	const names = args
		.filter((arg) => arg.startsWith('--'))
		.map((arg) => arg.slice(2).replace(/=.*/, ''));
	return Object.fromEntries(
		names.map((name) => [
			name,
			{ type: name === 'until-stdin-closes' ? ('boolean' as const) : ('string' as const) },
		]),
	);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
