import type { Condition } from '../../../src/common/db/query/condition.js';
import { planOf, type ListIndex } from '../../../src/common/list/list-plan.js';

const ALIVE = { sql: 'r."deletedAt" IS NULL' };
const NOT_DRAFT = { sql: `r."entityStatus" <> 'DRAFT'` };
const INDEXES: ListIndex[] = [
  { columns: ['accountId', 'id'], where: [] },
  { columns: ['accountId', 'id'], where: [ALIVE.sql, NOT_DRAFT.sql] },
  { columns: ['accountId', 'updatedAt', 'id'], where: [] },
  { columns: ['accountId', 'name', 'id'], where: [] },
  { columns: ['accountId', 'fundingInstrumentId', 'id'], where: [] },
  { columns: ['campaignId', 'id'], where: [] },
];

const ACCOUNT: Condition = { sql: 'account', column: 'accountId', test: 'equal' };
const FUNDING: Condition = { sql: 'funding', column: 'fundingInstrumentId', test: 'equal' };
const FUNDINGS: Condition = { ...FUNDING, test: 'any' };
const CAMPAIGNS: Condition = { sql: 'campaigns', column: 'campaignId', test: 'any' };
const IDS: Condition = { sql: 'ids', column: 'id', test: 'any' };
const NAME: Condition = { sql: 'name', column: 'name', test: 'range' };
const TERMS: Condition = { sql: 'terms', column: 'terms', test: 'list' };

describe('the plan of a list', () => {
  const plan = (conditions: Condition[], ...columns: string[]) =>
    planOf(
      INDEXES,
      [ACCOUNT, ...conditions],
      columns.map((indexed) => ({ indexed })),
    );

  it('is the next rows of an index with the order and all conditions', () => {
    expect(plan([], 'id').isDirect).toBe(true);
    expect(plan([NOT_DRAFT, ALIVE], 'id').isDirect).toBe(true);
    expect(plan([], 'updatedAt').isDirect).toBe(true);
    expect(plan([NAME], 'name').isDirect).toBe(true);
    expect(plan([FUNDING], 'id').isDirect).toBe(true);
  });

  it('filters the next rows when an index has the order, and no other finds fewer columns', () => {
    expect(plan([ALIVE], 'id')).toEqual({ walk: [ACCOUNT], lookup: undefined, isDirect: false, isNarrower: false });
    const byChange = plan([NOT_DRAFT, ALIVE], 'updatedAt');
    expect(byChange).toEqual({ walk: [ACCOUNT], lookup: undefined, isDirect: false, isNarrower: true });
    const ofFunding = plan([FUNDING, NOT_DRAFT, ALIVE], 'id');
    expect(ofFunding).toMatchObject({ walk: [ACCOUNT, FUNDING], lookup: undefined, isDirect: false });
  });

  it('finds the rows of a filter by another index first', () => {
    expect(plan([NAME], 'id')).toMatchObject({ walk: [ACCOUNT], lookup: [ACCOUNT, NAME], isNarrower: true });
    expect(plan([NAME], 'updatedAt')).toMatchObject({ walk: [ACCOUNT], lookup: [ACCOUNT, NAME] });
    expect(plan([FUNDING], 'updatedAt')).toMatchObject({ walk: [ACCOUNT], lookup: [ACCOUNT, FUNDING] });
    // the rows of several values are not in the order
    expect(plan([FUNDINGS], 'id')).toMatchObject({ walk: [ACCOUNT], lookup: [ACCOUNT, FUNDINGS] });
    expect(plan([IDS], 'id')).toMatchObject({ walk: undefined, lookup: [ACCOUNT, IDS], isDirect: false });
    // an index without the account names it anyway
    expect(plan([CAMPAIGNS], 'id')).toMatchObject({ walk: [ACCOUNT], lookup: [CAMPAIGNS, ACCOUNT] });
    expect(plan([TERMS], 'id')).toMatchObject({ walk: [ACCOUNT], lookup: [TERMS], isNarrower: true });
  });

  it('uses an index without the rows of another word', () => {
    const indexes = [...INDEXES, { columns: ['accountId', 'entityStatus', 'id'], where: [NOT_DRAFT.sql] }];
    const status = (word: string): Condition => ({
      sql: `r."entityStatus" = '${word}'`,
      column: 'entityStatus',
      test: 'equal',
    });
    const planFor = (word: string) => planOf(indexes, [ACCOUNT, status(word)], [{ indexed: 'id' }]);
    expect(planFor('PAUSED').isDirect).toBe(true);
    expect(planFor('DRAFT').isDirect).toBe(false);
  });

  it('prefers ids to names, and one value to a range', () => {
    expect(plan([NAME, IDS], 'updatedAt').lookup).toEqual([ACCOUNT, IDS]);
    expect(plan([NAME, FUNDING], 'updatedAt').lookup).toEqual([ACCOUNT, FUNDING]);
    // besides that of the order
    expect(plan([NAME, FUNDING], 'name')).toMatchObject({ walk: [ACCOUNT, NAME], lookup: [ACCOUNT, FUNDING] });
    expect(plan([NAME, FUNDING], 'id')).toMatchObject({ walk: [ACCOUNT, FUNDING], lookup: [ACCOUNT, NAME] });
  });

  it('has no order without an index, or with keys that decide between equal rows', () => {
    expect(plan([ALIVE], 'startTime')).toMatchObject({ walk: undefined, lookup: [ACCOUNT], isDirect: false });
    expect(plan([], 'updatedAt', 'name')).toMatchObject({ walk: undefined, isDirect: false });
  });
});
