import { useApp, world } from '../../support/app.js';
import type { Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { recordStatements, workOf, type Lane, type Sent } from '../../support/plans.js';

/** The rows of the account, and the page: a plan that is not bounded excludes most of these rows. */
const ROWS = Number(process.env.TEST_LIST_ROWS ?? 20_000);
/** So few that a busy machine stores them within the timeout of a statement. */
const AT_ONCE = 1_000;
const COUNT = 20;
const MOST_REMOVED = 10 * (COUNT + 1);
/** These, and what the rows of the page need besides. */
const MOST_SCANNED = MOST_REMOVED + 5 * (COUNT + 1);

interface Expected {
  table?: string;
  lanes?: Lane[];
}

useApp({ DATABASE_DRIVER: 'plain' }, 1);

describe('lists of a large account', () => {
  let advertiser: Advertiser;
  let sent: Sent[];
  /** Funding instruments, by how many of the campaigns they have. */
  let few: string;
  let many: string;
  let none: string;
  beforeAll(async () => {
    advertiser = await given.advertiser();
    sent = recordStatements();
    const { account } = advertiser;
    [many, few, none] = [
      (await given.fundingInstrument({ account })).id,
      (await given.fundingInstrument({ account })).id,
      (await given.fundingInstrument({ account })).id,
    ];
    const { id } = await given.campaign({ account, funding_instrument_id: many });
    await copy(
      'campaigns',
      id,
      `jsonb_build_object('fundingInstrumentId', CASE WHEN i % 100 = 1 THEN '${few}' ELSE '${many}' END,
        'entityStatus', CASE WHEN i % 50 = 7 THEN 'DRAFT' ELSE 'ACTIVE' END, 'startTime', now() + i * interval '1 second')`,
    );
  }, 600_000);

  /**
   * Copies a row: in turn live, a draft or deleted; the older half is called `early`, the younger one `late`, one in a
   * thousand `rare`.
   */
  async function copy(table: string, id: string, more = `'{}'::jsonb`) {
    const statement = `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object(
        'id', '0' || lpad(i::text, 12, '0'),
        'updatedAt', t."updatedAt" - ($2 - i) * interval '1 second',
        'deletedAt', CASE WHEN i % 10 = 3 THEN now() END,
        'name', CASE WHEN i % 1000 = 1 THEN 'rare ' WHEN i <= $2 / 2 THEN 'early ' ELSE 'late ' END || i) || ${more})).*
       FROM ${table} t, generate_series($3::int, $4::int) i WHERE t.id = $1 AND t."accountId" = $5`;
    for (let from = 1; from <= ROWS; from += AT_ONCE)
      await world().sql(statement, id, ROWS, from, from + AT_ONCE - 1, advertiser.account.id);
    // as PostgreSQL estimates an account among 1,000,000 rows
    await world().sql(`ALTER TABLE ${table} ALTER "accountId" SET (n_distinct = ${ROWS / 100})`);
    await world().sql(`ANALYZE ${table}`);
  }

  /** Reads two pages, and returns what the statements of each did. */
  async function read(path: string, params: Params, table: string) {
    const pages = [];
    for (let cursor: string | null = ''; pages.length < 2 && cursor !== null;) {
      sent.length = 0;
      const query = { count: COUNT, ...params, ...(cursor && { cursor }) };
      const { status, body } = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/${path}`, { query });
      expect({ params, status, errors: body.errors }).toEqual({ params, status: 200 });
      const statements = sent.filter(({ text }) => text.includes(' ORDER BY ') && text.includes(`FROM "${table}" r`));
      const works = [];
      for (const statement of statements) works.push({ lane: statement.lane, ...(await workOf(statement)) });
      pages.push(works);
      cursor = body.next_cursor as string | null;
    }
    return pages;
  }

  /** Each statement on shared connections reads few times the page. `lanes`: those of the first page. */
  async function expectBounded(path: string, params: Params, { table = path, lanes }: Expected = {}) {
    const pages = await read(path, params, table);
    if (lanes) expect({ params, lanes: pages[0].map(({ lane }) => lane) }).toEqual({ params, lanes });
    for (const works of pages) {
      expect(works.length).toBeGreaterThan(0);
      const isBounded = works.every(
        ({ lane, removed, scanned }) => lane !== 'small' || (removed <= MOST_REMOVED && scanned <= MOST_SCANNED),
      );
      expect({ params, works, isBounded }).toMatchObject({ params, isBounded: true });
    }
  }

  const sorted = (attributes: string[]) => attributes.flatMap((each) => [`${each}-asc`, `${each}-desc`]);

  describe('campaigns', () => {
    const filters = (): Params[] => [
      {},
      { with_deleted: true },
      { with_draft: true },
      { funding_instrument_ids: none },
      { funding_instrument_ids: few },
      { funding_instrument_ids: many },
      { funding_instrument_ids: `${few},${none}` },
      { funding_instrument_ids: `${few},${many}` },
      { q: 'early' },
      { q: 'late' },
      { q: 'rare' },
      { q: 'nothing' },
      { q: 'early', funding_instrument_ids: none },
      { campaign_ids: '0000000000001,0000000000002' },
    ];

    it.each([
      undefined,
      ...sorted(['created_at', 'updated_at', 'deleted', 'name', 'start_time', 'daily_budget_amount_local_micro']),
      'updated_at-desc,name-asc',
      'created_at-desc,name-asc',
    ])(
      'read few times the page, sorted by %s',
      async (sort_by) => {
        for (const filter of filters()) await expectBounded('campaigns', { ...filter, ...(sort_by && { sort_by }) });
      },
      600_000,
    );

    it('read only as much on shared connections, unless neither filter nor order leads to the page', async () => {
      const expectLanes = (params: Params, ...lanes: Lane[]) => expectBounded('campaigns', params, { lanes });
      await expectLanes({}, 'small');
      await expectLanes({ sort_by: 'updated_at-desc' }, 'small');
      await expectLanes({ funding_instrument_ids: none }, 'small', 'small');
      await expectLanes({ funding_instrument_ids: none, sort_by: 'start_time-asc' }, 'small');
      await expectLanes({ funding_instrument_ids: few }, 'small');
      await expectLanes({ funding_instrument_ids: `${few},${many}` }, 'small', 'small');
      await expectLanes({ q: 'early' }, 'small');
      await expectLanes({ q: 'nothing', sort_by: 'updated_at-desc' }, 'small');
      await expectLanes({ q: 'late', sort_by: 'updated_at-desc' }, 'small', 'small');
      await expectLanes({ q: 'early', funding_instrument_ids: none }, 'small');
      await expectLanes({ campaign_ids: '0000000000001,0000000000002' }, 'small');
      await expectLanes({ count: 200 }, 'large');
      // the younger half has another name
      await expectLanes({ q: 'early', sort_by: 'created_at-desc' }, 'small', 'small', 'long');
      await expectLanes({ sort_by: 'start_time-asc' }, 'small', 'long');
    }, 600_000);
  });

  it('of line items do', async () => {
    const { account } = advertiser;
    const item = await given.lineItem({ account });
    await copy('line_items', item.id, `jsonb_build_object('campaignId', '0' || lpad((i / 100 + 1)::text, 12, '0'))`);
    for (const sort_by of [undefined, ...sorted(['created_at', 'updated_at', 'deleted', 'bid_amount_local_micro'])])
      for (const filter of [
        {},
        { with_deleted: true },
        { campaign_ids: '0000000000002' },
        { campaign_ids: '0000000000002,0000000000005,0000000000009' },
        { campaign_ids: '0zzzzzzzzzzzz' },
        { funding_instrument_ids: item.fundingInstrumentId },
        { funding_instrument_ids: none },
        { q: 'early' },
        { q: 'rare' },
      ])
        await expectBounded('line_items', { ...filter, ...(sort_by && { sort_by }) });
  }, 600_000);

  it('of cards and media do', async () => {
    const { account } = advertiser;
    await copy('cards', (await given.card(account)).id);
    for (const sort_by of [undefined, ...sorted(['created_at', 'updated_at', 'deleted', 'name'])])
      for (const filter of [{}, { q: 'early' }, { q: 'rare' }, { q: 'nothing' }])
        for (const legacy of [{}, { include_legacy_cards: true }])
          await expectBounded('cards', { ...filter, ...legacy, ...(sort_by && { sort_by }) });
    const { id } = await given.libraryMedia(account);
    const terms = `jsonb_build_object('mediaKey', 'k' || i, 'mediaType', CASE WHEN i % 100 = 1 THEN 'GIF' ELSE 'IMAGE' END, 'terms', CASE WHEN i % 1000 = 1
      THEN ARRAY['${account.id} rare', '${account.id} all'] ELSE ARRAY['${account.id} all'] END)`;
    await copy('library_media', id, terms);
    for (const sort_by of [undefined, ...sorted(['created_at', 'updated_at', 'deleted', 'name'])])
      for (const filter of [
        {},
        { q: 'all' },
        { q: 'rare' },
        { q: 'nothing' },
        { media_type: 'GIF' },
        { media_type: 'VIDEO' },
      ])
        await expectBounded('media_library', { ...filter, ...(sort_by && { sort_by }) }, { table: 'library_media' });
  }, 600_000);

  it('of what belongs to line items do', async () => {
    const { account } = advertiser;
    const item = await given.lineItem({ account });
    const { id } = await given.promotedPost({ account, lineItemId: item.id });
    const lineItem = `'0' || lpad((i + $2 * 2)::text, 12, '0')`;
    await copy('line_items', item.id, `jsonb_build_object('id', ${lineItem})`);
    await copy('promoted_posts', id, `jsonb_build_object('lineItemId', ${lineItem}, 'postId', i::text)`);
    for (const sort_by of [undefined, ...sorted(['created_at', 'updated_at', 'deleted'])])
      for (const filter of [{}, { with_deleted: true }, { line_item_ids: item.id }, { line_item_ids: '0zzzzzzzzzzzz' }])
        await expectBounded('promoted_posts', { ...filter, ...(sort_by && { sort_by }) }, { table: 'promoted_posts' });
  }, 600_000);
});
