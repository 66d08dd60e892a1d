import type { Operation } from '../operation';
import { download } from './download';
import { upload } from './upload';

/** The operations of the resource Stored File, in the order of the menu. */
export const storedFileOperations: readonly Operation[] = [download, upload];
