import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { MODULES } from '../mutation/modules';

// A module `results/rows.ts` has its tests in `results/rows.test.ts`, and in further files whose names begin with its
// own, such as `rowsOfMails.test.ts`.

const project = join(__dirname, '..', '..');
const node = join(project, 'nodes', 'DocumentIntelligence');
const tests = join(project, 'test', 'nodes', 'DocumentIntelligence');

/** Paths below a folder without this ending. */
const below = (folder: string, ending: string) =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => name.slice(0, -ending.length));

const modules = below(node, '.ts').filter((name) => !name.endsWith('.node'));

/** The whole node in a situation, through n8n-core and the stand-in: they mirror no module. */
const suites = below(tests, '.test.ts').filter((name) => /^[^/]+$|^hostile\//.test(name));

const mirrors = below(tests, '.test.ts').filter((name) => !suites.includes(name));

/** Modules whose behaviour only shows in that of another, with the tests that would notice. */
const COVERED_BY: Record<string, string> = {
	'documents/identifier': 'documents/jobs/get',
	'documents/jobs/index': 'DocumentIntelligence.node',
	'documents/jobs/jobId': 'documents/jobs/get',
	'documents/jobs/jobJson': 'documents/jobs/getAll',
	'documents/operation': 'documents/operations/index',
	'documents/planItems': 'documents/runItems',
	'documents/missingIn': 'documents/typedTree',
	'documents/polling/look': 'documents/polling/poll',
	'documents/polling/parameters': 'DocumentIntelligenceTrigger.node',
	'documents/resources': 'DocumentIntelligence.node',
	'documents/resultFile': 'documents/operations/cropImages',
	'documents/runBatch': 'documents/operations/classifyInBulk',
	'documents/runEnd': 'documents/runItemsEnd',
	'documents/runningJobs': 'documents/asJob',
	'documents/storedFiles/index': 'DocumentIntelligence.node',
	'documents/statusMessages': 'service/envelope',
	errors: 'documents/runItemsEnd',
	'documents/unlessAborted': 'documents/sendOnce',
	'files/content': 'files/inputFiles',
	'files/contentHash': 'documents/sendOnce',
	'parameters/fileParameters': 'DocumentIntelligence.node',
	'parameters/menu': 'DocumentIntelligence.node',
	'parameters/readParameter': 'parameters/options',
	'parameters/template': 'documents/asJob',
	'parameters/values': 'documents/typedTree',
	'pdf/eventLoop': 'pdf/cutPages',
	'pdf/openBundle': 'pdf/cutPages',
	'pdf/writePdf': 'pdf/cutPages',
	'pdf/sourceFile': 'pdf/crossReference',
	'pdf/resources': 'pdf/copier',
	'pdf/part': 'pdf/cutPages',
	'pdf/pageTree': 'pdf/cutPages',
	'pdf/objectParser': 'pdf/crossReference',
	'pdf/layers': 'pdf/copier',
	'pdf/failures': 'pdf/bounds',
	'pdf/decode': 'pdf/copier',
	'pdf/annotations': 'pdf/copier',
	'results/amounts': 'results/values',
	'service/jobs/calls': 'service/jobs/runJob',
	'service/jobs/statusMessages': 'service/jobs/runJob',
	'service/session': 'service/account',
	'service/statusMessages': 'service/envelopeMessages',
};

/** Constants and names, with nothing to decide. */
const WITHOUT_LOGIC = ['pdf/library', 'text/bytes'];

/** The module whose name a file of tests begins with; the longest, as `retryAfter` is not about `retry`. */
function moduleOf(test: string): string | undefined {
	return modules
		.filter(
			(module) => dirname(test) === dirname(module) && basename(test).startsWith(basename(module)),
		)
		.sort((one, other) => other.length - one.length)[0];
}

test('every module has tests that are named after it', () => {
	const tested = mirrors.map(moduleOf);
	const without = modules.filter((module) => !tested.includes(module));
	expect(without.sort()).toEqual([...Object.keys(COVERED_BY), ...WITHOUT_LOGIC].sort());
	const covering = Object.values(COVERED_BY).filter(
		(name) => !existsSync(join(tests, `${name}.test.ts`)),
	);
	expect(covering).toEqual([]);
});

test('every file of tests is named after a module', () => {
	const stray = mirrors.filter((name) => moduleOf(name) === undefined);
	expect(stray).toEqual([]);
	expect(suites.sort()).toEqual([
		'DocumentIntelligence.node',
		'DocumentIntelligenceTrigger.node',
		'email',
		'hostile/answers',
		'hostile/bodies',
		'hostile/files',
		'hostile/inputFields',
		'hostile/keySearch',
		'hostile/texts',
		'limits',
	]);
});

describe('The mutation check', () => {
	test.each(Object.entries(MODULES))('%s is there, and its tests are: %s', (module, names) => {
		expect(modules).toContain(module);
		const missing = names.split(' ').filter((name) => !existsSync(join(tests, `${name}.test.ts`)));
		expect(missing).toEqual([]);
	});

	test('knows every pure module', () => {
		const pure = modules.filter((module) => /^(results|http|text)\//.test(module));
		const missing = pure.filter((module) => !Object.hasOwn(MODULES, module));
		expect(missing).toEqual(['text/bytes']);
	});
});
