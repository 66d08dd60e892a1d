import type { RecordedRequest } from '../state/records';
import type { UploadedForm } from './form';
import type { ServiceResponse } from './responses';

/** One address of the service. */
export interface Route {
	method: 'POST';
	path: string;
	/** The most that is kept of an uploaded file. */
	maxFileBytes: number;
	respond(call: Call): Promise<ServiceResponse>;
}

/** A request that was let in, with its body read. */
export interface Call {
	form: UploadedForm;
	record: RecordedRequest;
}
