/** Resources that a table describes: what requests say of them, and their rules. */
import { ATTACHMENTS } from './attachments.js';
import { AUDIENCES } from './audiences.js';
import { CAMPAIGN } from './campaigns.js';
import { CREATIVES } from './creatives.js';
import { LINE_ITEM, type BidBounds } from './line-items.js';
import { KINDS, type Kind, type PlainKind } from './kinds.js';
import { forbidden, Reading, unknown, type Problem, type RawParams, type Table } from './reading.js';
import type { Acting, Decision, Fields, ModelAccount, Resource } from './world.js';

/** Who asks for it where and when, and what a new one belongs to. */
export type Circumstances = Acting & { now: number; bounds: BidBounds; above?: Resource };

export interface Plain {
  /** What only a new one takes. */
  fixed?: Table;
  /** What each request may say. */
  said?: Table;
  /** What is wrong with what a request says, wherever it is sent. */
  rule?: (read: Reading, sent: Fields) => void;
  /** What the service adds to a new one. */
  added?: (account: ModelAccount, fields: Fields, above?: Resource) => Fields;
  /** What there is already: a request for a new one answers that, with what it says. */
  same?: (account: ModelAccount, fields: Fields) => Resource | undefined;
  /** What is wrong with the fields together, or beside others of the account; `old`: what is changed. */
  check?: (read: Reading, fields: Fields, circumstances: Circumstances, old?: Resource) => void;
  /** Why it cannot change any more, or be deleted. */
  locked?: (of: Resource, circumstances: Circumstances) => Problem | false;
  kept?: (of: Resource, account: ModelAccount) => boolean;
  /** Whether an update must fit what is stored: an unknown id is named beside other mistakes. */
  fits?: true;
  /** What is shown besides. */
  shown?: (resource: Resource, account: ModelAccount) => Fields;
}

export const PLAIN: Record<PlainKind, Plain> = { CAMPAIGN, LINE_ITEM, ...ATTACHMENTS, ...AUDIENCES, ...CREATIVES };
export const rulesOf = (kind: Kind): Plain => PLAIN[kind as PlainKind] ?? {};

/** What a request for one of them does. */
export function changePlain(circumstances: Circumstances, id: string | undefined, params: RawParams): Decision {
  const { account, kind } = circumstances;
  const { fixed = {}, said = {}, rule, added, same, check, locked, fits } = rulesOf(kind);
  const { id: name, unknown: code, parent, isBelow } = KINDS[kind];
  const read = new Reading(params, id !== undefined);
  const made = id === undefined ? read.all(fixed) : {};
  const above = id === undefined ? account.readParent(read, kind) : undefined;
  const sent = read.all(said);
  rule?.(read, sent);
  const old = id === undefined ? undefined : account.find(kind, id);
  // what is the currency of nothing?
  if (id === undefined ? parent && !above : !old) read.forgetDenominations();
  if (id !== undefined && !old) {
    if (fits || read.problems.length === 0) read.blame(unknown(name, code));
    return { problems: read.problems };
  }
  const begun = old ? {} : { ...(parent && { [KINDS[parent].id]: above?.id }), ...made, ...sent };
  const of = old ?? same?.(account, begun);
  // what a request for a new one leaves out stays as it is in one that is there
  const named = Object.fromEntries(Object.entries(sent).filter(([each]) => old ?? read.has(each)));
  const fields = of ? { ...of.fields, ...named } : { ...added?.(account, begun, above), ...begun };
  const exists = of !== old && Object.keys(said).length === 0;
  const isForeign = isBelow && above && rulesOf(above.kind).kept?.(above, account);
  const closed = isForeign ? forbidden(KINDS[above.kind].id) : old && locked?.(old, circumstances);
  if (closed) read.blame(closed);
  else if (!exists && (!isBelow || above)) check?.(read, fields, { ...circumstances, above }, of);
  return read.problems.length > 0 ? { problems: read.problems } : { fields, of, exists };
}
