import { Example } from '../../common/http/params/dto-metadata.js';
import { closedSet } from '../../common/values/closed-set.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Ids, OneOf } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';
import { JSON_BOUNDS } from '../../common/http/bodies/json-bounds.js';
import { MAX_ACCOUNTS } from '../sandbox-accounts.service.js';
import { MAX_SNAPSHOT_BYTES } from './snapshot.entity.js';

/** As many as rows with all days of people have. */
const VALUES = 2_000_000;
/** The limits of a file, which has the largest snapshot. */
export const SNAPSHOT_FILE_SIZE = {
  bodyLimit: MAX_SNAPSHOT_BYTES + 1_000_000,
  jsonBounds: { ...JSON_BOUNDS, values: VALUES, valuesAtOnce: VALUES },
};

/** What accounts have after a reset. */
export const RESET_STATES = closedSet('ResetState', ['DEMO', 'EMPTY']);
export type ResetState = (typeof RESET_STATES)[number];

/** Which accounts a snapshot saves. */
@Example({ account_ids: ['{reset_sandbox_account_id}'] })
export class SaveSnapshot {
  /** Accounts of the sandbox that the user administers. By default all of them. */
  @Ids({ optional: true, max: MAX_ACCOUNTS }) account_ids?: string[];
}

/** Which accounts a file becomes a snapshot of. */
export class ImportSnapshot {
  /** Accounts of the sandbox that the user administers, one for each account of the file. By default those of the file. */
  @Ids({ optional: true, max: MAX_ACCOUNTS }) account_ids?: string[];
}

/** Which accounts are reset, and what they have afterwards. */
@Example({ account_ids: ['{reset_sandbox_account_id}'], to: 'EMPTY' })
export class ResetAccounts {
  /** Accounts of the sandbox that the user administers. By default all of them. */
  @Ids({ optional: true, max: MAX_ACCOUNTS }) account_ids?: string[];

  /** `EMPTY`: nothing. `DEMO`: funding instruments, campaigns, line items, targeting and an audience. */
  @OneOf(RESET_STATES, { optional: true, default: 'DEMO' }) to: ResetState = 'DEMO';
}

/** A page of snapshots. */
export class ListSnapshots extends TokenQuery {}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name of a snapshot in a path; throws the 400 of any other text. */
export function snapshotName(given: string): string {
  if (NAME.test(given)) return given;
  throw invalid(
    'snapshot_name',
    'Expected 1 to 64 letters, digits, dots, hyphens and underscores, of which the first is a letter or a digit, for snapshot_name',
    { value: given },
  );
}
