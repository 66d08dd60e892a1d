import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../service/jobs/job';

/** A job as an item: all that is known of it, then whatever else the service says. */
export function jobJson({ rest, ...known }: Job): IDataObject {
	// A status that is not known here is among the rest.
	return { ...known, ...rest };
}
