import { TV_SHOWS } from '../../../src/campaigns/targeting-values/targeting-lists.js';
import type { Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { base36Ids } from '../../support/list-conventions.js';

useApp();

const US = '96683cc9126741d1';
const SHOW = TV_SHOWS.all().find(({ locales }) => locales.join() === 'en-US')!.value;

let advertiser: Advertiser;
let item: { id: string };
beforeEach(async () => {
  advertiser = await given.advertiser();
  item = await given.lineItem({ account: advertiser.account });
});

const path = (batch = '') => `/12${batch}/accounts/${advertiser.account.id}/targeting_criteria`;
const batch = (json: Json) => advertiser.api.post(path('/batch'), { json });
const creation = (targeting_type: string, targeting_value: string, more: Json = {}) => ({
  operation_type: 'Create',
  params: { line_item_id: item.id, targeting_type, targeting_value, ...more },
});
const deletion = (targeting_criterion_id: string) => ({ operation_type: 'Delete', params: { targeting_criterion_id } });
const keywords = (count: number, of = 'word') =>
  Array.from({ length: count }, (_, i) => creation('BROAD_KEYWORD', `${of} ${i}`));
const made = async (...operations: Json[]): Promise<Json[]> => {
  const { status, body } = await batch(operations);
  expect({ status, errors: body.operation_errors }).toEqual({ status: 200 });
  return body.data;
};
const listed = async (line = item.id): Promise<Json[]> =>
  (await advertiser.api.get(path(), { query: { line_item_ids: line, count: 1000 } })).body.data;
const valuesOf = (items: Json[]) => items.map(({ targeting_value: value }) => value);
const codes = ({ operation_errors }: Json) =>
  operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => `${code} ${parameter}`));

describe('a batch of targeting criteria', () => {
  it('answers 200 with the results in the order of the request, and what they are', async () => {
    const { status, body } = await batch([creation('LOCATION', US), creation('GENDER', '1')]);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'data_type', 'request']);
    expect(body.data_type).toBe('targeting_criterion');
    expect(body.data).toMatchObject([
      { targeting_type: 'LOCATION', location_type: 'COUNTRY', name: 'United States' },
      { targeting_type: 'GENDER', name: 'Male' },
    ]);
    expect(body.request[1]).toEqual({
      operation_type: 'Create',
      params: {
        account_id: advertiser.account.id,
        line_item_id: item.id,
        targeting_type: 'GENDER',
        targeting_value: '1',
      },
    });
    expect(valuesOf(await listed())).toEqual(['1', US]);
  });

  it('takes an empty operator_type as not set, and a number where look-ups show one', async () => {
    const none = [creation('LOCATION', US, { operator_type: null }), creation('GENDER', '1', { operator_type: '' })];
    const data = await made(...none, creation('TV_SHOW', Number(SHOW) as unknown as string));
    expect(data.map(({ operator_type: type, targeting_value: value }) => [type, value])).toEqual([
      ['EQ', US],
      ['EQ', '1'],
      ['EQ', SHOW],
    ]);
  });

  it('takes 500 operations, and no more', async () => {
    const data = await made(...keywords(500));
    expect(valuesOf(data)).toEqual(keywords(500).map(({ params }) => params.targeting_value));
    expect(valuesOf(await listed())).toEqual(valuesOf(data).toReversed());
    const { status, body } = await batch(keywords(501, 'more'));
    expect({ status, message: body.errors?.[0].message }).toEqual({
      status: 400,
      message: 'Batch size exceeds the maximum of 500',
    });
    expect(await listed()).toHaveLength(500);
  });

  it('knows Create and Delete alone', async () => {
    const { id } = await given.targetingCriterion({ account: advertiser.account, line_item_id: item.id });
    const { status, body } = await batch([
      { operation_type: 'Update', params: { targeting_criterion_id: id, targeting_value: 'tea' } },
      deletion(id),
    ]);
    expect({ status, codes: codes(body) }).toEqual({ status: 400, codes: [['INVALID_PARAMETER operation_type'], []] });
    expect(await listed()).toHaveLength(1);
  });

  it('creates and deletes, and what counts is what is there in the end', async () => {
    const [age] = await made(creation('AGE', 'AGE_OVER_21'));
    const [next, gone] = await made(creation('AGE', 'AGE_OVER_35'), deletion(age.id));
    expect(gone).toMatchObject({ id: age.id, deleted: true });
    const [same] = await made(creation('AGE', 'AGE_OVER_35'), creation('GENDER', '2'));
    expect(same.id).toBe(next.id);
    const [, anew] = await made(deletion(next.id), creation('AGE', 'AGE_OVER_35'));
    expect(anew.id).not.toBe(next.id);
    expect(valuesOf(await listed())).toEqual(['AGE_OVER_35', '2']);
  });

  it('answers one criterion for operations that make the same', async () => {
    const data = await made(
      creation('BROAD_KEYWORD', 'Espresso'),
      creation('BROAD_KEYWORD', 'tea'),
      creation('BROAD_KEYWORD', 'espresso '),
    );
    expect(data[2]).toEqual(data[0]);
    expect(valuesOf(await listed())).toEqual(['tea', 'Espresso']);
  });

  it('serves several line items, each judged by its own criteria', async () => {
    const other = await given.lineItem({ account: advertiser.account });
    await made(creation('AGE', 'AGE_OVER_21'));
    const { body } = await batch([
      creation('AGE', 'AGE_OVER_35', { line_item_id: other.id }),
      creation('AGE', 'AGE_OVER_35'),
    ]);
    expect(codes(body)).toEqual([[], ['INVALID_PARAMETER targeting_type']]);
    await made(creation('AGE', 'AGE_OVER_35', { line_item_id: other.id }), creation('GENDER', '1'));
    expect([valuesOf(await listed()), valuesOf(await listed(other.id))]).toEqual([
      ['1', 'AGE_OVER_21'],
      ['AGE_OVER_35'],
    ]);
  });

  it('names what is wrong with each operation, and stores nothing', async () => {
    const there = await given.targetingCriterion({ account: advertiser.account, line_item_id: item.id });
    const { status, body } = await batch([
      creation('BROAD_KEYWORD', 'fine'),
      creation('GENDER', '3'),
      creation('AGE', 'AGE_OVER_18'),
      creation('AGE', 'AGE_OVER_21'),
      creation('AGE', 'AGE_OVER_25'),
      creation('LOCATION', 'Atlantis', { line_item_id: base36Ids(0) }),
      creation('CUSTOM_AUDIENCE', base36Ids(1)),
      creation('CUSTOM_AUDIENCE', base36Ids(1), { operator_type: 'EQ' }),
      deletion(base36Ids(2)),
      deletion(there.id),
      deletion(there.id),
      { operation_type: 'Create', params: { line_item_id: base36Ids(0), targeting_type: 'GENDER' } },
    ]);
    expect({ status, codes: codes(body) }).toEqual({
      status: 400,
      codes: [
        [],
        ['INVALID_PARAMETER targeting_value'],
        [],
        ['INVALID_PARAMETER targeting_type'],
        ['INVALID_PARAMETER targeting_type'],
        ['NOT_FOUND line_item_id', 'INVALID_PARAMETER targeting_value'],
        ['MISSING_PARAMETER operator_type', 'NOT_FOUND targeting_value'],
        ['NOT_FOUND targeting_value'],
        ['NOT_FOUND targeting_criterion_id'],
        [],
        ['NOT_FOUND targeting_criterion_id'],
        ['MISSING_PARAMETER targeting_value', 'NOT_FOUND line_item_id'],
      ],
    });
    expect(await listed()).toMatchObject([{ id: there.id }]);
  });

  it('takes nothing away that something needs, unless both go', async () => {
    const [place, show] = await made(creation('LOCATION', US), creation('TV_SHOW', SHOW));
    const { body } = await batch([creation('GENDER', '1'), deletion(place.id)]);
    expect(codes(body)).toEqual([[], ['INVALID_PARAMETER targeting_criterion_id']]);
    await made(deletion(place.id), deletion(show.id), creation('GENDER', '1'));
    expect(valuesOf(await listed())).toEqual(['1']);
  });

  it('blames the operations that exceed a limit', async () => {
    await made(...keywords(500));
    await made(...keywords(498, 'more'));
    const { body } = await batch(keywords(4, 'last'));
    expect(codes(body)).toEqual([[], [], ['INVALID_PARAMETER targeting_type'], ['INVALID_PARAMETER targeting_type']]);
    await made(...keywords(2, 'last'));
    expect(await listed()).toHaveLength(1000);
  });

  it('is not stored beside another one with which it exceeds a limit', async () => {
    await made(...keywords(500));
    const answers = await Promise.all(['one', 'two', 'three'].map((of) => batch(keywords(300, of))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await listed()).toHaveLength(800);
  });

  it('does not wait in a circle for another one on the same line items', async () => {
    const { account } = advertiser;
    const others = await given.lineItems({ account, count: 4 });
    const ids = [item.id, ...others.map(({ id }) => id)];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        batch(
          (n % 2 ? ids.toReversed() : ids).flatMap((line_item_id) => [
            creation('BROAD_KEYWORD', `word ${n}`, { line_item_id }),
            creation('BROAD_KEYWORD', 'same', { line_item_id }),
          ]),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const id of ids) expect(await listed(id)).toHaveLength(9);
  });

  it('records one change for each criterion that is new or gone', async () => {
    const [age] = await made(creation('AGE', 'AGE_OVER_21'));
    await made(deletion(age.id), creation('GENDER', '1'), creation('GENDER', '1'));
    const changes = await world().sql<Json>(
      `SELECT "changeType" AS type, "entityData"->>'targeting_value' AS value FROM account_changes
        WHERE "accountId" = $1 AND "entityType" = 'TARGETING_CRITERIA' ORDER BY id`,
      advertiser.account.id,
    );
    expect(changes).toEqual([
      { type: 'CREATE', value: 'AGE_OVER_21' },
      { type: 'DELETE', value: 'AGE_OVER_21' },
      { type: 'CREATE', value: '1' },
    ]);
  });
});
