import type { Operation } from './operation';
import { download } from './storedFileDownload';
import { upload } from './storedFileUpload';

/** The operations of the resource Stored File, in the order of the menu. */
export const storedFileOperations: readonly Operation[] = [download, upload];
