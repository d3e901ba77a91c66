import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { keptBySpecFiles } from '../kept.js';

const kept = keptBySpecFiles();

/** A name that nobody in this spec file has, or in one before it. */
export const fresh = (what: string): string => `${what}_${++kept.names}`;

/** Parameters that a test cares about, and the account they are for; a fixture makes up the others. */
export type Some<T> = Partial<T> & { account: ActingAccount };
