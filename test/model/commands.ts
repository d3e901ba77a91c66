/** What may happen: requests, valid and not, by anybody, and time. */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { PLACEMENTS } from './line-items.js';
import { BID, DAILY, TOTAL } from './campaigns.js';
import { TARGETING, type TargetingType } from './attachments.js';
import { disasters } from './disasters.js';
import type { Raw, RawParams } from './reading.js';
import type { Beside, Fault } from './service.js';
import type { SnapshotStep } from './snapshots.js';
import type { Kind, ModelAccount, Resource } from './world.js';
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

/** Each of these parameters is sent or not; those of `always` nearly always. */
const params = (always: Record<string, fc.Arbitrary<unknown>>, sometimes: Record<string, fc.Arbitrary<unknown>>) => {
  const sent = (each: Record<string, fc.Arbitrary<unknown>>, of: number, absent: number) =>
    fc.record(
      Object.fromEntries(
        Object.entries(each).map(([key, arbitrary]) => [
          key,
          fc.oneof({ weight: of, arbitrary }, { weight: absent, arbitrary: fc.constant(undefined) }),
        ]),
      ),
    );
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
const OBJECTIVE_OF = fc.constantFrom<[string, string]>(
  ...([
    ['ENGAGEMENTS', 'PROMOTED_POSTS'],
    ['ENGAGEMENTS', 'PROMOTED_POSTS'],
    ['WEBSITE_CLICKS', 'PROMOTED_POSTS'],
    ['REACH', 'PROMOTED_POSTS'],
    ['VIDEO_VIEWS', 'PROMOTED_POSTS'],
    ['FOLLOWERS', 'PROMOTED_ACCOUNT'],
    ['FOLLOWERS', 'PROMOTED_POSTS'],
  ] as [string, string][]),
);
const targeting = fc.constantFrom(...(Object.keys(TARGETING) as TargetingType[])).chain((type) =>
  fc.record({
    targeting_type: mostly<Raw>(fc.constant(type), 'HUMOUR'),
    targeting_value: mostly<Raw>(fc.constantFrom(...TARGETING[type].values), '', 'z'.repeat(81)),
    operator_type: fc.option(mostly<Raw>(fc.constantFrom('EQ', 'EQ', 'NE'), 'LIKE'), { nil: undefined }),
  }),
);

/** One operation, before it is known what there is. */
interface Sketch {
  operation: 'Create' | 'Update' | 'Delete';
  /** Which resource, or which parent of a new one. */
  which: number;
  params: Record<string, unknown>;
}

const sketch = (
  creates: fc.Arbitrary<Record<string, unknown>>,
  updates?: fc.Arbitrary<Record<string, unknown>>,
): fc.Arbitrary<Sketch> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ operation: fc.constant('Create' as const), which, params: creates }) },
    ...(updates
      ? [{ weight: 5, arbitrary: fc.record({ operation: fc.constant('Update' as const), which, params: updates }) }]
      : []),
    { weight: 1, arbitrary: fc.record({ operation: fc.constant('Delete' as const), which, params: fc.constant({}) }) },
  );

const SKETCHES: Partial<Record<Kind, fc.Arbitrary<Sketch>>> = {
  CAMPAIGN: sketch(params({ name, [DAILY]: money }, campaign), params({}, { name, [DAILY]: money, ...campaign })),
  LINE_ITEM: sketch(
    fc
      .tuple(
        params(
          {
            placements: mostly<Raw>(fc.constantFrom(...PLACEMENTS.slice(0, 2)), 'MOON'),
            start_time: starts,
            end_time: ends,
          },
          lineItem,
        ),
        OBJECTIVE_OF,
      )
      .map(([rest, [objective, product_type]]) => ({ objective, product_type, ...rest })),
    params({}, { start_time: starts, end_time: ends, ...lineItem }),
  ),
  PROMOTED_POST: sketch(
    fc.record({
      post_ids: fc.oneof(
        { weight: 10, arbitrary: fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 }) },
        { weight: 1, arbitrary: fc.constantFrom('x', undefined, '1') },
      ),
    }),
  ),
  PROMOTED_ACCOUNT: sketch(params({ user_id: mostly<Raw>(fc.constant('OWN'), '1', 'x', '') }, {})),
  TARGETING_CRITERIA: sketch(targeting),
  CUSTOM_AUDIENCE: sketch(params({ name }, { description }), params({}, { name, description })),
};
const PARENTS: Partial<Record<Kind, Kind>> = {
  CAMPAIGN: 'FUNDING_INSTRUMENT',
  LINE_ITEM: 'CAMPAIGN',
  PROMOTED_POST: 'LINE_ITEM',
  PROMOTED_ACCOUNT: 'LINE_ITEM',
  TARGETING_CRITERIA: 'LINE_ITEM',
};
const PARENT_IDS: Partial<Record<Kind, string>> = {
  FUNDING_INSTRUMENT: 'funding_instrument_id',
  CAMPAIGN: 'campaign_id',
  LINE_ITEM: 'line_item_id',
};
const NOBODY = '0zzzzzzzzzzzz';

/** The operation as it is sent, in this account. */
function drawn(account: ModelAccount, kind: Kind, { operation, which: index, params: rough }: Sketch) {
  const idOf = (from: Resource[]) => (index % 20 === 0 ? NOBODY : (pick(from, index)?.id ?? NOBODY));
  const params: Record<string, unknown> = { ...rough };
  for (const time of ['start_time', 'end_time'])
    if (typeof params[time] === 'number')
      params[time] = new Date(Math.floor(world().clock.now().getTime() / 1_000) * 1_000 + params[time] * 3_600_000)
        .toISOString()
        .replace('.000', '');
  if (Array.isArray(params.post_ids))
    params.post_ids = params.post_ids.map((post: number) => account.postIds[post]).join(',');
  if (params.user_id === 'OWN') params.user_id = account.fullUserId;
  const parent = PARENTS[kind];
  if (operation === 'Create' && parent) params[PARENT_IDS[parent]!] = idOf(account.all(parent));
  return { operation, id: idOf(account.all(kind)), params: params as RawParams };
}

/** A command of which fast-check can say what it was. */
function command(text: () => string, run: (beside: Beside) => Promise<void>): Command {
  return {
    check: () => Promise.resolve(true),
    run: async (_, beside) => {
      // no two things happen in the same second, so that their order is known
      await world().pass(1_000);
      await run(beside);
    },
    toString: text,
  };
}

const whom = fc.record({
  caller: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: which }),
  account: fc.constantFrom(0, 0, 0, 0, 1, 2, 2),
});
const those = (beside: Beside, { caller, account }: { caller: number; account: number }) =>
  [pick(beside.callers, caller)!, beside.accounts[account]] as const;

const fault = fc.record<Fault>({
  status: fc.constantFrom(404, 429, 500, 503),
  applied: fc.constantFrom('BEFORE_COMMIT', 'AFTER_COMMIT'),
});

const nothing = fc.constant(undefined);
const disaster = disasters
  ? fc.oneof({ weight: 100, arbitrary: nothing }, { weight: 1, arbitrary: disasters })
  : nothing;

const writes = (Object.entries(SKETCHES) as [Kind, fc.Arbitrary<Sketch>][]).map(([kind, drawing]) =>
  fc
    .record({
      ...{ by: whom, drawing, key: fc.option(fc.uuid(), { freq: 4, nil: undefined }) },
      fault: fc.option(fault, { freq: 6, nil: undefined }),
      disaster,
    })
    .map(({ by, drawing: rough, key: maybe, fault: met, disaster: during }) => {
      // without a key nobody can ask again for a request that was cut off
      const key = maybe ?? (during && randomUUID());
      return command(
        () =>
          `${rough.operation} ${kind} ${JSON.stringify(rough)} by ${JSON.stringify(by)}${key ? ' twice' : ''}${met ? ` with ${JSON.stringify(met)}` : ''}${during ? ` during ${JSON.stringify(during)}` : ''}`,
        async (beside) => {
          const [caller, account] = those(beside, by);
          const { operation, id, params: sent } = drawn(account, kind, rough);
          await beside.write(caller, account, kind, operation, id, sent, key, met, during);
        },
      );
    }),
);

const batches = (['CAMPAIGN', 'LINE_ITEM', 'TARGETING_CRITERIA'] as const).map((kind) =>
  fc
    .record({
      ...{ by: whom, drawing: fc.array(SKETCHES[kind]!, { minLength: 1, maxLength: 4 }) },
      ...{ key: fc.option(fc.uuid(), { freq: 4, nil: undefined }), disaster },
    })
    .map(({ by, drawing, key, disaster: during }) =>
      command(
        () =>
          `batch of ${kind} ${JSON.stringify(drawing)} by ${JSON.stringify(by)}${key ? ' twice' : ''}${during ? ` during ${JSON.stringify(during)}` : ''}`,
        async (beside) => {
          const [caller, account] = those(beside, by);
          const operations = drawing.map((rough) => drawn(account, kind, rough));
          await beside.batch(caller, account, kind, operations, key ?? (during && randomUUID()), during);
        },
      ),
    ),
);

const KINDS = Object.keys(SKETCHES) as Kind[];
const reads = fc
  .record({ by: whom, kind: fc.constantFrom(...KINDS), which, withDeleted: fc.boolean() })
  .map(({ by, kind, which: index, withDeleted }) =>
    command(
      () => `read ${kind} ${index} by ${JSON.stringify(by)}`,
      async (beside) => {
        const [caller, account] = those(beside, by);
        await beside.read(caller, account, kind, pick(account.all(kind), index)?.id ?? NOBODY, withDeleted);
      },
    ),
  );

/** What the account history tells of. */
const RECORDED = KINDS.filter((kind) => kind !== 'CUSTOM_AUDIENCE');
const histories = fc.record({ by: whom, kind: fc.constantFrom(...RECORDED), which }).map(({ by, kind, which: index }) =>
  command(
    () => `history of ${kind} ${index} by ${JSON.stringify(by)}`,
    async (beside) => {
      const [caller, account] = those(beside, by);
      const id = pick(account.all(kind), index)?.id;
      if (id) await beside.history(caller, account, kind, id);
    },
  ),
);

const SORTS: Partial<Record<Kind, string[]>> = {
  CAMPAIGN: ['created_at', 'updated_at', 'name', 'deleted', DAILY, TOTAL],
  LINE_ITEM: ['created_at', 'updated_at', 'deleted', BID],
  PROMOTED_POST: ['created_at', 'updated_at', 'deleted'],
  PROMOTED_ACCOUNT: ['created_at', 'updated_at', 'deleted'],
  TARGETING_CRITERIA: ['created_at', 'updated_at', 'deleted'],
  CUSTOM_AUDIENCE: ['created_at', 'updated_at', 'name', 'deleted'],
};
const lists = fc.constantFrom(...KINDS).chain((kind) =>
  fc
    .record({
      by: whom,
      which,
      count: fc.constantFrom(1, 2, 3, 200),
      withDeleted: fc.boolean(),
      withDraft: fc.boolean(),
      sort: fc.option(fc.tuple(fc.constantFrom(...SORTS[kind]!), fc.constantFrom('asc', 'desc')), { nil: undefined }),
      q: fc.option(fc.constantFrom('s', 'SPR', 'grö', 'nothing'), { freq: 2, nil: undefined }),
      parent: fc.boolean(),
    })
    .map((draw) =>
      command(
        () => `list ${kind} ${JSON.stringify(draw)}`,
        async (beside) => {
          const [caller, account] = those(beside, draw.by);
          const parent = PARENTS[kind];
          const parents = parent ? account.all(parent) : [];
          const parentField = parent ? PARENT_IDS[parent]! : '';
          // of promoted accounts, line items for something else are refused
          const byParent =
            kind === 'TARGETING_CRITERIA' || (parent !== undefined && draw.parent && kind !== 'PROMOTED_ACCOUNT');
          const named = byParent ? [pick(parents, draw.which)?.id ?? NOBODY] : undefined;
          const hasDrafts = kind === 'CAMPAIGN' || kind === 'LINE_ITEM';
          const hasNames = hasDrafts || kind === 'CUSTOM_AUDIENCE';
          const q = hasNames ? draw.q : undefined;
          const sent: RawParams = {
            count: draw.count,
            with_deleted: draw.withDeleted,
            with_draft: hasDrafts ? draw.withDraft : undefined,
            q,
            sort_by: draw.sort?.join('-'),
            [`${parentField}s`]: named?.join(','),
          };
          const expected = account
            .all(kind)
            .filter((each) => draw.withDeleted || account.isVisible(each))
            .filter(({ fields }) => !hasDrafts || draw.withDraft || fields.entity_status !== 'DRAFT')
            .filter(({ fields }) => !named || named.includes(String(fields[parentField])))
            .filter(
              ({ fields }) =>
                q === undefined ||
                String((fields.name as string | null) ?? '')
                  .toLowerCase()
                  .startsWith(q.toLowerCase()),
            );
          await beside.list(caller, account, kind, sent, ordered(expected, draw.sort, q));
        },
      ),
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

const funding = fc.record({ by: whom, which, deletes: fc.boolean() }).map(({ by, which: index, deletes }) =>
  command(
    () => `${deletes ? 'delete' : 'create'} funding ${index}`,
    async (beside) =>
      beside.funding(
        beside.accounts[by.account],
        deletes && index % 3 === 0 ? pick(beside.accounts[by.account].alive('FUNDING_INSTRUMENT'), index) : undefined,
      ),
  ),
);

const days = fc.integer({ min: 1, max: 80 }).map((count) =>
  command(
    () => `${count} hours pass`,
    () => world().pass(count * 3_600_000),
  ),
);

const ROLES = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST'] as const;
const access = fc
  .record({
    caller: fc.integer({ min: 1, max: 3 }),
    account: fc.constantFrom(0, 1, 2),
    role: fc.option(fc.constantFrom(...ROLES), { freq: 3, nil: undefined }),
  })
  .map(({ caller: index, account: of, role }) =>
    command(
      () => `caller ${index} ${role ? `becomes ${role}` : 'leaves'} in ${of}`,
      async (beside) => {
        const [caller, account] = [beside.callers[index], beside.accounts[of]];
        const memberships = world().get(MembershipsService);
        if (role) {
          await memberships.grant(account.id, caller.userId, role);
          account.roles.set(caller, role);
        } else {
          await memberships.revoke(account.id, caller.userId);
          account.roles.delete(caller);
        }
        await world().caughtUp();
      },
    ),
  );

const names = fc.boolean().map((namesOfX) =>
  command(
    () => `callers use ${namesOfX ? 'the names of X' : 'our names'}`,
    (beside) => {
      beside.namesOfX = namesOfX;
      return Promise.resolve();
    },
  ),
);

const events = fc.constantFrom(0, 1, 2).map((account) =>
  command(
    () => `events of ${account}`,
    (beside) => beside.events(beside.accounts[account]),
  ),
);

const snapshots = fc.constantFrom<SnapshotStep>('SAVE', 'SAVE', 'RESTORE', 'RESTORE', 'RESTORE', 'RESET').map((step) =>
  command(
    () => `${step} a snapshot of the sandbox`,
    (beside) => beside.snapshots.take(step),
  ),
);

/** Whom a balancer would have chosen. */
const switches = fc.option(fc.nat(1)).map((replica) =>
  command(
    () => (replica === null ? 'a balancer chooses' : `replica ${replica} is asked`),
    (beside) => {
      beside.replica = replica ?? undefined;
      return Promise.resolve();
    },
  ),
);

/** A process forgets what it has in memory. It takes a second or two, and so happens rarely. */
const restarts = fc.nat().map((replica) =>
  command(
    () => `replica ${replica} restarts`,
    () => world().restart(replica),
  ),
);

/** Sequences of up to so many commands. */
export const commands = (most: number) =>
  fc.commands(
    [
      ...writes,
      ...writes.slice(0, 2),
      ...batches,
      reads,
      histories,
      lists,
      funding,
      snapshots,
      days,
      access,
      fc.oneof(
        { weight: 10, arbitrary: names },
        { weight: 10, arbitrary: switches },
        { weight: 1, arbitrary: restarts },
      ),
      events,
    ] as fc.Arbitrary<Command>[],
    { maxCommands: most, size: 'max' },
  );
