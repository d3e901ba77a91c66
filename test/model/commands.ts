/** What may happen: requests, valid and not, by anybody, and time. */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { KINDS as APPEARANCES, type Kind } from './kinds.js';
import { PLACEMENTS } from './line-items.js';
import { EVENTS } from './plain.js';
import { BID, DAILY, TOTAL } from './campaigns.js';
import { TARGETING, type TargetingType } from './attachments.js';
import { disasters } from './disasters.js';
import { wire, type Raw, type RawParams } from './reading.js';
import type { Beside, Fault, Operation } from './service.js';
import type { SnapshotStep } from './snapshots.js';
import type { Acting, Resource } from './world.js';
import { world } from '../support/app.js';
import { MembershipsService } from '../../src/accounts/access/memberships.service.js';

export type Command = fc.AsyncCommand<object, Beside, true>;

/** Which of several things is meant, whatever there is when the command runs. */
const which = fc.nat(1_000);
const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(1, from.length)];

/** Mostly the first, now and then one of the others. */
const mostly = <T>(common: fc.Arbitrary<T>, ...rare: T[]) =>
  fc.oneof({ weight: 40, arbitrary: common }, { weight: 1, arbitrary: fc.constantFrom(...rare) });
const money = mostly<Raw>(fc.constantFrom(1_000_000, 2_000_000, 5_000_000, 20_000_000), 0, -1, 15, 'much', '');
const NAMES = ['Spring', 'spring sale', 'Summer', 'Größe ☃'];
const name = mostly<Raw>(fc.constantFrom(...NAMES), '', 'x'.repeat(256));
const flag = mostly<Raw>(fc.boolean(), 'perhaps');
const status = mostly<Raw>(fc.constantFrom('ACTIVE', 'PAUSED', 'DRAFT'), 'GONE', '');
/** A time that many hours from now. */
const starts = mostly<number | string>(fc.constantFrom(-48, -1, 24), 'soon', '', 720);
const ends = mostly<number | string>(fc.constantFrom(48, 72, 24 * 30), 'late', '', -72);

const description = mostly<Raw>(fc.constantFrom('Buyers', 'Visitors'), '', 'd'.repeat(1_001));

const nothing = fc.constant(undefined);
const maybe = <T>(drawing: fc.Arbitrary<T>, freq = 1) => fc.option(drawing, { freq, nil: undefined });

/** Each of these parameters is sent or not; those of `always` nearly always. */
const params = (
  always: Record<string, fc.Arbitrary<unknown>>,
  sometimes: Record<string, fc.Arbitrary<unknown>> = {},
) => {
  const sent = (each: Record<string, fc.Arbitrary<unknown>>, weight: number, absent: number) => {
    const or = (arbitrary: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight, arbitrary }, { weight: absent, arbitrary: nothing });
    return fc.record(Object.fromEntries(Object.entries(each).map(([key, arbitrary]) => [key, or(arbitrary)])));
  };
  return fc.tuple(sent(always, 40, 1), sent(sometimes, 1, 3)).map(([first, second]) => ({ ...first, ...second }));
};

const campaign = {
  budget_optimization: mostly<Raw>(fc.constantFrom('CAMPAIGN', 'LINE_ITEM'), 'BOTH'),
  [TOTAL]: money,
  entity_status: status,
  purchase_order_number: mostly<Raw>(fc.constantFrom('PO 1', 'PO 2'), '', 'y'.repeat(51)),
  standard_delivery: flag,
};
const lineItem = {
  name,
  goal: mostly<Raw>(fc.constantFrom('ENGAGEMENT', 'LINK_CLICKS', 'SITE_VISITS', 'MAX_REACH', 'VIEW_6S'), 'FAME'),
  bid_strategy: mostly<Raw>(fc.constantFrom('AUTO', 'MAX', 'TARGET'), 'LUCK'),
  [BID]: money,
  [DAILY]: money,
  [TOTAL]: money,
  entity_status: status,
  frequency_cap: mostly<Raw>(fc.constantFrom(1, 5), 0, 'often', ''),
  duration_in_days: mostly<Raw>(fc.constantFrom(1, 7, 30), 2, ''),
};
const OBJECTIVES = ['ENGAGEMENTS', 'ENGAGEMENTS', 'WEBSITE_CLICKS', 'REACH', 'VIDEO_VIEWS', 'FOLLOWERS'];
const offer = fc.constantFrom(...OBJECTIVES.map((objective) => ({ objective, product_type: 'PROMOTED_POSTS' })), {
  objective: 'FOLLOWERS',
  product_type: 'PROMOTED_ACCOUNT',
});
const post_ids = fc.oneof(
  { weight: 10, arbitrary: fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom('x', undefined, '1') },
);
const placements = mostly<Raw>(fc.constantFrom(...PLACEMENTS.slice(0, 2)), 'MOON');
const flight = { start_time: starts, end_time: ends };
const targeting = fc.constantFrom(...(Object.keys(TARGETING) as TargetingType[])).chain((type) =>
  fc.record({
    targeting_type: mostly<Raw>(fc.constant(type), 'HUMOUR'),
    targeting_value: mostly<Raw>(fc.constantFrom(...TARGETING[type].values), '', 'z'.repeat(81)),
    operator_type: maybe(mostly<Raw>(fc.constantFrom('EQ', 'EQ', 'NE'), 'LIKE'), 5),
  }),
);

const webEvent = {
  type: mostly<Raw>(fc.constantFrom(...EVENTS), 'NAP'),
  click_window: mostly<Raw>(fc.constantFrom(1, 7, 30), 2, 'long', ''),
  view_through_window: mostly<Raw>(fc.constantFrom(0, 1, 7), 60, ''),
  // its visitors would become an audience within a minute
  retargeting_enabled: mostly<Raw>(fc.constant(false), 'perhaps', ''),
};
const choice = mostly<Raw>(fc.constantFrom('Tea', 'Coffee', 'Water', 'Milk', 'Größe ☃'), '', 'c'.repeat(26));
const moreChoices = { third_choice: choice, fourth_choice: choice };
const duration_in_minutes = mostly<Raw>(fc.constantFrom(5, 10_080), 4, 10_081, '');
const text = mostly<Raw>(fc.constantFrom('Buy shoes', 'Run #fast', ' Größe '), '', ' ', 't'.repeat(281));
const as_user_id = mostly<Raw>(fc.constant('OWN'), '1', 'x', '');
const scheduled_at = mostly<number | string>(fc.constantFrom(1, 12, 48), 'noon', '', -1, 24 * 400);
const timely = { text, scheduled_at };
const composition = {
  card_uri: mostly<Raw>(fc.constantFrom('CARD', ''), 'card://1', 'card:x'),
  nullcast: mostly<Raw>(fc.boolean(), 'perhaps', ''),
  name,
};

/** One operation, before it is known what there is. */
interface Sketch {
  operation: Operation['operation'];
  /** Which resource, or which parent of a new one. */
  which: number;
  params: Record<string, unknown>;
}

type Draw = fc.Arbitrary<Record<string, unknown>>;
const sketch = (creates: Draw, updates?: Draw): fc.Arbitrary<Sketch> => {
  const of = (operation: Sketch['operation'], drawing: Draw) =>
    fc.record({ operation: fc.constant(operation), which, params: drawing });
  return fc.oneof(
    { weight: 5, arbitrary: of('Create', creates) },
    { weight: updates ? 5 : 0, arbitrary: of('Update', updates ?? creates) },
    { weight: 1, arbitrary: of('Delete', fc.constant({})) },
  );
};

const SKETCHES: Partial<Record<Kind, fc.Arbitrary<Sketch>>> = {
  CAMPAIGN: sketch(params({ name, [DAILY]: money }, campaign), params({}, { name, [DAILY]: money, ...campaign })),
  LINE_ITEM: sketch(
    fc.tuple(offer, params({ placements, ...flight }, lineItem)).map(([what, rest]) => ({ ...what, ...rest })),
    params({}, { ...flight, ...lineItem }),
  ),
  PROMOTED_POST: sketch(fc.record({ post_ids })),
  PROMOTED_ACCOUNT: sketch(params({ user_id: as_user_id })),
  TARGETING_CRITERIA: sketch(targeting),
  CUSTOM_AUDIENCE: sketch(params({ name }, { description }), params({}, { name, description })),
  WEB_EVENT_TAG: sketch(params({ name, ...webEvent }), params({}, { name, ...webEvent })),
  CARD: sketch(params({ name, duration_in_minutes, first_choice: choice, second_choice: choice }, moreChoices)),
  DRAFT_POST: sketch(params({ as_user_id, text }, composition), params({}, { text, ...composition })),
  SCHEDULED_POST: sketch(params({ as_user_id, ...timely }, composition), params({}, { ...timely, ...composition })),
};
const NOBODY = '0zzzzzzzzzzzz';

/** The operation as it is sent, in this account. */
function drawn({ account, kind }: Acting, { operation, which: index, params: rough }: Sketch): Operation {
  const idOf = (from: Resource[]) => (index % 20 === 0 ? NOBODY : (pick(from, index)?.id ?? NOBODY));
  const params: Record<string, unknown> = { ...rough };
  for (const time of ['start_time', 'end_time', 'scheduled_at'])
    if (typeof params[time] === 'number') params[time] = wire(world().clock.now().getTime() + params[time] * 3_600_000);
  if (Array.isArray(params.post_ids))
    params.post_ids = params.post_ids.map((post: number) => account.postIds[post]).join(',');
  for (const user of ['user_id', 'as_user_id']) if (params[user] === 'OWN') params[user] = account.fullUserId;
  if (params.card_uri === 'CARD') params.card_uri = `card://${idOf(account.all('CARD'))}`;
  // of two that go live in one minute nobody knows which is the first, so none repeats another
  if (kind === 'SCHEDULED_POST' && typeof params.text === 'string' && params.text.trim() !== '')
    params.text += ` ${account.id} ${account.history.length}`;
  const { parent } = APPEARANCES[kind];
  if (operation === 'Create' && parent) params[APPEARANCES[parent].id] = idOf(account.all(parent));
  return { operation, id: idOf(account.all(kind)), params: params as RawParams };
}

/** A command of which fast-check can say what it was. */
function command(what: string, draw: unknown, run: (beside: Beside) => void | Promise<void>): Command {
  return {
    check: () => Promise.resolve(true),
    run: async (_, beside) => {
      // no two things happen in the same second, so that their order is known
      await world().pass(1_000);
      await beside.publish();
      await run(beside);
    },
    toString: () => `${what} ${JSON.stringify(draw)}`,
  };
}

const whom = fc.record({
  caller: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: which }),
  account: fc.constantFrom(0, 0, 0, 0, 1, 2, 2),
});
const those = ({ callers, accounts }: Beside, kind: Kind, by: { caller: number; account: number }): Acting => {
  return { caller: pick(callers, by.caller)!, account: accounts[by.account], kind };
};

const fault = fc.record<Fault>({
  status: fc.constantFrom(404, 429, 500, 503),
  applied: fc.constantFrom('BEFORE_COMMIT', 'AFTER_COMMIT'),
});

const disaster = disasters
  ? fc.oneof({ weight: 100, arbitrary: nothing }, { weight: 1, arbitrary: disasters })
  : nothing;

/** Without a key nobody can ask again for a request that was cut off. */
const keyed = <D extends { key?: string; disaster?: unknown }>(draw: D): D => ({
  ...draw,
  key: draw.key ?? (draw.disaster ? randomUUID() : undefined),
});

const writes = (Object.entries(SKETCHES) as [Kind, fc.Arbitrary<Sketch>][]).map(([kind, drawing]) =>
  fc
    .record({
      ...{ by: whom, drawing, key: maybe(fc.uuid(), 4) },
      fault: maybe(fault, 6),
      disaster,
    })
    .map((draw) =>
      command(`write ${kind}`, draw, async (beside) => {
        const acting = those(beside, kind, draw.by);
        await beside.write(acting, drawn(acting, draw.drawing), keyed(draw));
      }),
    ),
);

const batches = (['CAMPAIGN', 'LINE_ITEM', 'TARGETING_CRITERIA'] as const).map((kind) =>
  fc
    .record({
      ...{ by: whom, drawing: fc.array(SKETCHES[kind]!, { minLength: 1, maxLength: 4 }) },
      ...{ key: maybe(fc.uuid(), 4), disaster },
    })
    .map((draw) =>
      command(`batch of ${kind}`, draw, async (beside) => {
        const acting = those(beside, kind, draw.by);
        const operations = draw.drawing.map((rough) => drawn(acting, rough));
        await beside.batch(acting, operations, keyed(draw));
      }),
    ),
);

const KINDS = Object.keys(SKETCHES) as Kind[];
const reads = fc.record({ by: whom, kind: fc.constantFrom(...KINDS), which, withDeleted: fc.boolean() }).map((draw) =>
  command('read', draw, async (beside) => {
    const acting = those(beside, draw.kind, draw.by);
    const id = pick(acting.account.all(draw.kind), draw.which)?.id ?? NOBODY;
    await beside.read(acting, id, draw.withDeleted);
  }),
);

const RECORDED = KINDS.filter((kind) => APPEARANCES[kind].history);
const histories = fc.record({ by: whom, kind: fc.constantFrom(...RECORDED), which }).map((draw) =>
  command('history', draw, async (beside) => {
    const acting = those(beside, draw.kind, draw.by);
    const id = pick(acting.account.all(draw.kind), draw.which)?.id;
    if (id) await beside.history(acting, id);
  }),
);

const lists = fc.constantFrom(...KINDS).chain((kind) =>
  fc
    .record({
      ...{ by: whom, which, count: fc.constantFrom(1, 2, 3, 200) },
      ...{ withDeleted: fc.boolean(), withDraft: fc.boolean(), parent: fc.boolean() },
      sort: maybe(fc.tuple(fc.constantFrom(...APPEARANCES[kind].sorts), fc.constantFrom('asc', 'desc')), 5),
      q: maybe(fc.constantFrom('s', 'SPR', 'grö', 'nothing'), 2),
    })
    .map((draw) =>
      command(`list ${kind}`, draw, async (beside) => {
        const acting = those(beside, kind, draw.by);
        const { account } = acting;
        const { parent } = APPEARANCES[kind];
        const parentField = parent ? APPEARANCES[parent].id : '';
        // of promoted accounts, line items for something else are refused
        const byParent = kind === 'TARGETING_CRITERIA' || (parent && draw.parent && kind !== 'PROMOTED_ACCOUNT');
        const named = byParent ? (pick(account.all(parent!), draw.which)?.id ?? NOBODY) : undefined;
        const hasDrafts = kind === 'CAMPAIGN' || kind === 'LINE_ITEM';
        const q = APPEARANCES[kind].q ? draw.q : undefined;
        const sent: RawParams = {
          ...{ count: draw.count, with_deleted: draw.withDeleted, q, sort_by: draw.sort?.join('-') },
          ...{ with_draft: hasDrafts ? draw.withDraft : undefined, [`${parentField}s`]: named },
        };
        const nameOf = ({ fields }: Resource) => String((fields.name as string | null) ?? '').toLowerCase();
        const expected = account
          .all(kind)
          .filter((each) => draw.withDeleted || account.isVisible(each))
          .filter(({ fields }) => !hasDrafts || draw.withDraft || fields.entity_status !== 'DRAFT')
          .filter(({ fields }) => !named || fields[parentField] === named)
          .filter((each) => q === undefined || nameOf(each).startsWith(q.toLowerCase()));
        await beside.list(acting, sent, ordered(expected, draw.sort, q));
      }),
    ),
);

/** Newest first, or by name where names are searched, or as the request says. */
function ordered(resources: Resource[], sort: [string, string] | undefined, q: string | undefined): Resource[] {
  // names are ordered without case
  const valueOf = ({ fields, ...common }: Resource, name: string) => {
    const value = { ...fields, ...common }[name];
    return typeof value === 'string' ? value.toLowerCase() : value;
  };
  const compare = (a: unknown, b: unknown): number => {
    // nothing comes before everything else
    if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
    return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
  };
  const newestFirst = [...resources].sort((a, b) => b.place - a.place);
  if (sort) {
    const [name, direction] = sort;
    const sign = direction === 'asc' ? 1 : -1;
    return newestFirst.sort((a, b) => sign * (compare(valueOf(a, name), valueOf(b, name)) || a.place - b.place));
  }
  if (q === undefined) return newestFirst;
  const lower = ({ fields }: Resource) => String(fields.name).toLowerCase();
  return newestFirst.sort((a, b) => compare(lower(a), lower(b)) || a.place - b.place);
}

const funding = fc.record({ by: whom, which, deletes: fc.boolean() }).map((draw) =>
  command('funding', draw, async (beside) => {
    const account = beside.accounts[draw.by.account];
    const isDeleted = draw.deletes && draw.which % 3 === 0;
    await beside.funding(account, isDeleted ? pick(account.alive('FUNDING_INSTRUMENT'), draw.which) : undefined);
  }),
);

const days = fc
  .integer({ min: 1, max: 80 })
  .map((hours) => command('hours pass', hours, () => world().pass(hours * 3_600_000)));

const ROLES = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST'] as const;
const access = fc
  .record({
    caller: fc.integer({ min: 1, max: 3 }),
    account: fc.constantFrom(0, 1, 2),
    role: maybe(fc.constantFrom(...ROLES), 3),
  })
  .map((draw) =>
    command('access', draw, async (beside) => {
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
    }),
  );

const names = fc.boolean().map((isX) => command('names of X', isX, (beside) => void (beside.namesOfX = isX)));

const events = fc
  .constantFrom(0, 1, 2)
  .map((account) => command('events', account, (beside) => beside.events(beside.accounts[account])));

const snapshots = fc
  .constantFrom<SnapshotStep>('SAVE', 'SAVE', 'RESTORE', 'RESTORE', 'RESTORE', 'RESET')
  .map((step) => command('snapshot of the sandbox', step, (beside) => beside.snapshots.take(step)));

/** Whom a balancer would have chosen; null: it chooses. */
const switches = fc
  .option(fc.nat(1))
  .map((replica) => command('asked replica', replica, (beside) => void (beside.replica = replica ?? undefined)));

/** A process forgets what it has in memory. It takes a second or two, and so happens rarely. */
const restarts = fc.nat().map((replica) => command('restart', replica, () => world().restart(replica)));

const requests = [...writes, ...writes.slice(0, 2), ...batches, reads, histories, lists];
const seldom = fc.oneof(
  { weight: 10, arbitrary: names },
  { weight: 10, arbitrary: switches },
  { weight: 1, arbitrary: restarts },
);

/** Sequences of up to so many commands. */
export const commands = (most: number) => {
  const all: fc.Arbitrary<Command>[] = [...requests, funding, snapshots, days, access, seldom, events];
  return fc.commands(all, { maxCommands: most, size: 'max' });
};
