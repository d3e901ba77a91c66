import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';

let count = 0;

/** A name that nobody in this spec file has. */
export const fresh = (what: string): string => `${what}_${++count}`;

/** Parameters that a test cares about, and the account they are for; a fixture makes up the others. */
export type Some<T> = Partial<T> & { account: ActingAccount };
