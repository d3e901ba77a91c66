/** What may happen: requests, valid and not, by anybody, and time. */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { POSTS } from './attachments.js';
import { cardsOf, tidy } from './cards.js';
import { disasters as disaster } from '../support/disasters.js';
import { KINDS as APPEARANCES, type Kind } from './kinds.js';
import { BIDS, LINE_ITEM } from './line-items.js';
import { PLAIN } from './plain.js';
import { sending, wire, type Raw, type RawParams, type Table } from './reading.js';
import type { Beside, Fault, Operation, SnapshotStep } from './service.js';
import { webhookSteps } from './webhooks.js';
import type { Acting, Resource } from './world.js';
import { world } from '../support/app.js';
import { MembershipsService } from '../../src/accounts/access/memberships.service.js';

export type Command = fc.AsyncCommand<object, Beside, true>;

/** Which of several things is meant, whatever there is when the command runs. */
const which = fc.nat(1_000);
const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(1, from.length)];
const nothing = fc.constant(undefined);
/** Mostly nothing; that once in so many times. */
const oneIn = <T>(times: number, drawing: fc.Arbitrary<T>) =>
  fc.oneof({ weight: times - 1, arbitrary: nothing }, { weight: 1, arbitrary: drawing });

/** What requests of each kind say: for a new one, and for a change. */
const TABLES: Partial<Record<Kind, { creates?: Table; updates?: Table }>> = {
  ...Object.fromEntries(
    Object.entries(PLAIN).map(([kind, { fixed, said }]) => [kind, { creates: { ...fixed, ...said }, updates: said }]),
  ),
  // one that there is changes when it is made again
  AUDIENCE_PERMISSION: { creates: { ...PLAIN.AUDIENCE_PERMISSION.fixed, ...PLAIN.AUDIENCE_PERMISSION.said } },
  LINE_ITEM: { creates: { ...LINE_ITEM.fixed, ...LINE_ITEM.said, ...BIDS }, updates: { ...LINE_ITEM.said, ...BIDS } },
  PROMOTED_POST: { creates: POSTS },
  ACCOUNT_MEDIA: {},
};
const KINDS = Object.keys(TABLES) as Kind[];

/** One operation, before it is known what there is. */
interface Sketch {
  operation: Operation['operation'];
  /** Which resource, or which parent of a new one. */
  which: number;
  params: RawParams;
}

function sketch(kind: Kind): fc.Arbitrary<Sketch> {
  const { creates, updates } = TABLES[kind]!;
  const of = (operation: Sketch['operation'], weight: number, table: Table = {}) => ({
    weight,
    arbitrary: fc.record({ operation: fc.constant(operation), which, params: sending(table, operation === 'Create') }),
  });
  return fc.oneof(of('Create', creates ? 5 : 0, creates), of('Update', updates ? 5 : 0, updates), of('Delete', 1));
}
const NOBODY = '0zzzzzzzzzzzz';

/** The operation as it is sent, in this account. */
function drawn({ accounts }: Beside, { account, kind }: Acting, { operation, which: index, params: rough }: Sketch) {
  // now and then what belongs to another account, or is deleted, or nothing
  const all = (of: Kind) => (index % 7 === 0 ? accounts.flatMap((each) => each.all(of)) : account.known(of));
  const alive = (from: Resource[]) => (index % 5 === 0 ? from : from.filter((each) => account.isVisible(each)));
  const one = (from: Resource[]) => (index % 20 === 0 ? undefined : pick(alive(from), index));
  const fitting = (at: number) => pick(account.uploads, index % 4 === 0 ? index : at)!.media_key;
  const stands: Record<string, string> = {
    ...{ OWN: account.fullUserId, ACCOUNT: pick(accounts, index)!.id, UPLOAD: pick(account.uploads, index)!.media_key },
    CARD: `card://${one(cardsOf(account))?.id ?? NOBODY}`,
    ...{ WIDE: fitting(0), FLAT: fitting(1), FILM: fitting(4) },
  };
  const meant = (name: string, value: Raw): Raw => {
    if (typeof value === 'number' && /_time$|_at$/.test(name))
      return wire(world().clock.now().getTime() + value * 3_600_000);
    if (typeof value !== 'string') return value;
    if (/^[[{]/.test(value)) return value.replaceAll(/\w+/g, (word) => stands[word] ?? word);
    return name === 'post_ids'
      ? value.replaceAll(/\d/g, (post) => account.postIds[+post] ?? post)
      : (stands[value] ?? value);
  };
  const params = Object.fromEntries(Object.entries(rough).map(([name, value]) => [name, meant(name, value)]));
  if (params.objective === 'FOLLOWERS' && index % 4 > 0) params.product_type = 'PROMOTED_ACCOUNT';
  if (kind === 'IMAGE_CARD' && operation === 'Create' && index % 5 > 0) tidy(params);
  // of two that go live in one minute nobody knows which is the first, so none repeats another
  if (kind === 'SCHEDULED_POST' && typeof params.text === 'string' && params.text.trim() !== '')
    params.text += ` ${account.id} ${account.history.length}`;
  const found = one(all(kind));
  const { parent, isBelow } = APPEARANCES[kind];
  if (parent && (operation === 'Create' || isBelow)) {
    const name = APPEARANCES[parent].id;
    params[name] = ((operation !== 'Create' && found?.fields[name]) || one(all(parent))?.id || NOBODY) as string;
  }
  return { operation, id: found?.id ?? NOBODY, params };
}

/** Commands of which fast-check can say what they were. */
const does = <D>(what: string, drawing: fc.Arbitrary<D>, run: (draw: D, beside: Beside) => unknown) =>
  drawing.map((draw): Command => ({
    check: () => Promise.resolve(true),
    run: async (_, beside) => {
      // no two things happen in the same second, so that their order is known
      await world().pass(1_000);
      await beside.publish();
      await run(draw, beside);
    },
    toString: () => `${what} ${JSON.stringify(draw)}`,
  }));

const by = fc.record({
  caller: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: which }),
  account: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 2),
});
const those = (beside: Beside, kind: Kind, { caller, account }: { caller: number; account: number }): Acting => ({
  ...{ caller: pick(beside.callers, caller)!, account: beside.accounts[account], kind },
});

const fault = fc.record<Fault>({
  status: fc.constantFrom(404, 429, 500, 503),
  applied: fc.constantFrom('BEFORE_COMMIT', 'AFTER_COMMIT'),
});
const key = oneIn(3, fc.uuid());
/** Without a key nobody can ask again for a request that was cut off. */
const keyed = <D extends { key?: string; disaster?: unknown }>(draw: D): D => ({
  ...draw,
  key: draw.key ?? (draw.disaster ? randomUUID() : undefined),
});

const writes = KINDS.map((kind) =>
  does(
    `write ${kind}`,
    fc.record({ by, drawing: sketch(kind), key, fault: oneIn(8, fault), disaster }),
    (draw, beside) => {
      const acting = those(beside, kind, draw.by);
      const operation = drawn(beside, acting, draw.drawing);
      // of nothing one learns little
      if (operation.operation !== 'Create' && operation.id === NOBODY && draw.drawing.which % 20 > 0) return;
      return beside.write(acting, operation, keyed(draw));
    },
  ),
);

const batches = (['CAMPAIGN', 'LINE_ITEM', 'TARGETING_CRITERIA'] as const).map((kind) => {
  const drawing = fc.array(sketch(kind), { minLength: 1, maxLength: 4 });
  return does(`batch of ${kind}`, fc.record({ by, drawing, key, disaster }), (draw, beside) => {
    const acting = those(beside, kind, draw.by);
    const operations = draw.drawing.map((rough) => drawn(beside, acting, rough));
    return beside.batch(acting, operations, keyed(draw));
  });
});

const upload = fc.record({
  operation_type: fc.constantFrom('Update' as const, 'Update' as const, 'Delete' as const),
  ...{ first: fc.constantFrom(0, 60, 120), count: fc.constantFrom(1, 60, 100, 150) },
});
const some = fc.array(upload, { minLength: 1, maxLength: 3 });
const uploads = does('upload', fc.record({ by, which, some }), (draw, beside) => {
  const acting = those(beside, 'CUSTOM_AUDIENCE', draw.by);
  return beside.upload(acting, pick(acting.account.known(acting.kind), draw.which)?.id ?? NOBODY, draw.some);
});

const single = fc.constantFrom(...KINDS.filter((kind) => !APPEARANCES[kind].isBelow));
const reads = does('read', fc.record({ by, kind: single, which, withDeleted: fc.boolean() }), (draw, beside) => {
  const acting = those(beside, draw.kind, draw.by);
  const id = pick(acting.account.known(draw.kind), draw.which)?.id ?? NOBODY;
  return beside.read(acting, id, draw.withDeleted);
});

const recorded = fc.constantFrom(...KINDS.filter((kind) => APPEARANCES[kind].history));
const histories = does('history', fc.record({ by, kind: recorded, which }), async (draw, beside) => {
  const acting = those(beside, draw.kind, draw.by);
  const id = pick(acting.account.all(draw.kind), draw.which)?.id;
  if (id) await beside.history(acting, id);
});

const lower = (name: unknown) => (typeof name === 'string' ? name : '').toLowerCase();
const lists = KINDS.map((kind) => {
  const { parent, isBelow, sorts, q: isSearched } = APPEARANCES[kind];
  const parentField = parent ? APPEARANCES[parent].id : '';
  const hasDrafts = kind === 'CAMPAIGN' || kind === 'LINE_ITEM';
  const drawing = fc.record({
    ...{ by, which, count: fc.constantFrom(1, 2, 3, 50), withDeleted: fc.boolean(), withDraft: fc.boolean() },
    // of promoted accounts, line items for something else are refused
    byParent: fc.boolean().map((is) => isBelow || kind === 'TARGETING_CRITERIA' || (is && kind !== 'PROMOTED_ACCOUNT')),
    isShared: fc.boolean().map((is) => is && kind === 'CUSTOM_AUDIENCE'),
    sort: fc.option(fc.tuple(fc.constantFrom(...sorts), fc.constantFrom('asc', 'desc')), { nil: undefined }),
    q: isSearched ? oneIn(2, fc.constantFrom('s', 'SPR', 'grö', 'nothing')) : nothing,
  });
  return does(`list ${kind}`, drawing, ({ withDeleted, withDraft, isShared, q, ...draw }, beside) => {
    const acting = those(beside, kind, draw.by);
    const { account } = acting;
    const named = parent && draw.byParent ? (pick(account.known(parent), draw.which)?.id ?? NOBODY) : undefined;
    const sent: RawParams = {
      ...{ count: draw.count, with_deleted: withDeleted, q, sort_by: draw.sort?.join('-') },
      ...{ with_draft: hasDrafts ? withDraft : undefined, [isBelow ? parentField : `${parentField}s`]: named },
      permission_scope: isShared ? 'SHARED' : undefined,
    };
    const expected = (isShared ? account.shared() : account.all(kind))
      .filter((each) => isShared || withDeleted || account.isVisible(each))
      .filter(({ fields }) => !hasDrafts || withDraft || fields.entity_status !== 'DRAFT')
      .filter(({ fields }) => !named || fields[parentField] === named)
      .filter(({ fields: { name } }) => q === undefined || lower(name).startsWith(q.toLowerCase()));
    return beside.list(acting, sent, ordered(expected, draw.sort, q));
  });
});

/** Newest first, or by name where names are searched, or as the request says. */
function ordered(resources: Resource[], sort: [string, string] | undefined, q: string | undefined): Resource[] {
  const [name, direction] = sort ?? (q === undefined ? ['place', 'desc'] : ['name', 'asc']);
  const sign = direction === 'asc' ? 1 : -1;
  // names are ordered without case
  const valueOf = ({ fields, ...common }: Resource) => {
    const value = { ...fields, ...common }[name];
    return typeof value === 'string' ? lower(value) : value;
  };
  const compare = (a: unknown, b: unknown): number => {
    // nothing comes before everything else
    if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
    return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
  };
  return [...resources].sort((a, b) => sign * (compare(valueOf(a), valueOf(b)) || a.place - b.place));
}

const funding = does('funding', fc.record({ by, which, deletes: fc.boolean() }), (draw, beside) => {
  const account = beside.accounts[draw.by.account];
  const isDeleted = draw.deletes && draw.which % 3 === 0;
  return beside.funding(account, isDeleted ? pick(account.alive('FUNDING_INSTRUMENT'), draw.which) : undefined);
});

const days = does('hours pass', fc.integer({ min: 1, max: 80 }), (hours) => world().pass(hours * 3_600_000));

const roles = fc.constantFrom('ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST');
const member = fc.record({ caller: fc.integer({ min: 1, max: 3 }), account: fc.nat(2), role: fc.option(roles) });
const access = does('access', member, async (draw, beside) => {
  const [caller, account] = [beside.callers[draw.caller], beside.accounts[draw.account]];
  const memberships = world().get(MembershipsService);
  if (draw.role) {
    await memberships.grant(account.id, caller.userId, draw.role);
    account.roles.set(caller, draw.role);
  } else {
    await memberships.revoke(account.id, caller.userId);
    account.roles.delete(caller);
  }
  await world().caughtUp();
});

const names = does('names of X', fc.boolean(), (isX, beside) => (beside.namesOfX = isX));
const events = does('events', fc.constant(null), (_, { webhooks }) => webhooks.events());
const webhooks = does('webhooks', webhookSteps, (steps, beside) => beside.webhooks.take(steps));
const steps = fc.constantFrom<SnapshotStep>('SAVE', 'SAVE', 'RESTORE', 'RESTORE', 'RESTORE', 'RESET');
const snapshots = does('snapshot of the sandbox', steps, (step, beside) => beside.snapshot(step));
/** Whom a balancer would have chosen; null: it chooses. */
const switches = does('asked replica', fc.option(fc.nat(1)), (asked, beside) => (beside.replica = asked ?? undefined));
/** A process forgets what it has in memory. It takes a second or two, and so happens rarely. */
const restarts = does('restart', fc.nat(), (replica) => world().restart(replica));

const seldom = fc.oneof(
  { weight: 10, arbitrary: names },
  { weight: 10, arbitrary: switches },
  { weight: 1, arbitrary: restarts },
);
const others = [uploads, webhooks, events, funding, snapshots, days, access, seldom];
const all = [...writes, ...writes.slice(0, 2), ...batches, reads, histories, fc.oneof(...lists), ...others];

/** Sequences of up to so many commands. */
export const commands = (most: number) => fc.commands(all, { maxCommands: most, size: 'max' });
