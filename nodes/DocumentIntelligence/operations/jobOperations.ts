import type { Operation } from './operation';
import { cancel } from './jobCancel';
import { get } from './jobGet';
import { getAll } from './jobGetAll';
import { getResult } from './jobGetResult';
import { submit } from './jobSubmit';

/** The operations of the resource Job, in the order of the menu. */
export const jobOperations: readonly Operation[] = [cancel, get, getAll, getResult, submit];
