import { checkForm, ONE_FILE, type FormRules, type UploadedForm } from '../http/form';
import { successEnvelope } from '../http/responses';
import type { Route } from '../http/route';
import {
	classify,
	crop,
	extract,
	matchFaces,
	readWithoutTemplate,
	split,
	type ProcessingResult,
} from '../processing/operations';
import type { Service } from '../state/service';

/** `POST /Document/*`: a document in, its result in the same response. */
export function documentRoutes(service: Service): Route[] {
	return operations.map(({ path, form: rules, run }) => ({
		method: 'POST',
		path,
		step: 'process',
		body: rules,
		sandbox: false,
		fileNames: ({ form }) => form.files.map(({ fileName }) => fileName),
		async respond({ form, record }) {
			checkForm(rules, form);
			const { data, creditsConsumed, messages } = await run(form, service);
			service.charges.addDirect(service.now(), creditsConsumed, form, record);
			return successEnvelope(data, creditsConsumed, messages);
		},
	}));
}

interface Operation {
	path: string;
	form: FormRules;
	run: (form: UploadedForm, service: Service) => Promise<ProcessingResult>;
}

const operations: Operation[] = [
	{
		path: '/Document/extraction',
		form: { ...ONE_FILE, textFields: ['ComplementaryPrompt'] },
		run: async (form) => await extract(form),
	},
	{
		path: '/Document/classifier',
		form: { ...ONE_FILE, fileFields: [{ name: 'files', repeated: true }] },
		run: classify,
	},
	{ path: '/Document/zero-shot', form: ONE_FILE, run: readWithoutTemplate },
	{
		path: '/Document/crop',
		form: ONE_FILE,
		run: async (form, { images }) => await crop(form, images),
	},
	{
		path: '/Document/split',
		form: { ...ONE_FILE, maxFileBytes: 500 * 1024 * 1024 },
		run: async (form) => await split(form),
	},
	{
		path: '/Document/facematch',
		form: {
			...ONE_FILE,
			fileFields: [
				{ name: 'selfie', repeated: false },
				{ name: 'documents', repeated: true },
			],
		},
		run: matchFaces,
	},
];
