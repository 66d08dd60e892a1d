import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** n8n-core reads the name of its folder once, while it is loaded: this module has to be imported before it. */
export const userFolder = (process.env.N8N_USER_FOLDER ??= mkdtempSync(
	join(tmpdir(), 'n8n-core-'),
));
