import type { Operation } from '../operation';
import { cancel } from './cancel';
import { get } from './get';
import { getAll } from './getAll';
import { getResult } from './getResult';
import { submit } from './submit';

/** The operations of the resource Job, in the order of the menu. */
export const jobOperations: readonly Operation[] = [cancel, get, getAll, getResult, submit];
