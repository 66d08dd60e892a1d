import outputSchema from '../../__schema__/v1.0.0/storedFile/upload.json';
import { FILES_NOT_STORED } from '../../parameters/fileParameters';
import { INCLUDE_INPUT_FILE } from '../../parameters/options';
import { storeFile } from '../../service/api';
import { documentForm, ONE_FILE, type CallOperation } from '../operation';

export const upload: CallOperation = {
	...ONE_FILE,
	kind: 'calls',
	value: 'upload',
	name: 'Upload',
	description: 'Store a file in your Cogneris account for 7 days and return a reference to it',
	action: 'Upload file',
	outputSchema,
	sources: [FILES_NOT_STORED],
	options: [INCLUDE_INPUT_FILE],
	onceOnly: { asks: () => ({}) },

	async execute({ session, document, settings }) {
		const { fileName } = document;
		const form = documentForm([document]);
		const { reference, ...stored } = await storeFile(session, form, document.subject, settings);
		return [{ json: { reference, fileName, ...stored } }];
	},
};
