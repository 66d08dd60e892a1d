import type { MadeDocument } from './truth';

const text = `Notes for the office
- Plain text: not a file type the service takes.
- A workflow should refuse this file by its name, before anything is sent.
`;

export function madeNotes(): MadeDocument {
	return { file: 'notes.txt', bytes: Buffer.from(text), printed: [text], truth: { documentType: 'notes' } };
}
