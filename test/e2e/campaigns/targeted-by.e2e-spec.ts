import { setTimeout } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AudiencePermission } from '../../../src/audiences/audience-permissions/audience-permission.entity.js';
import { CUSTOM } from '../../../src/audiences/audience-permissions/audience-permission.resource.js';
import { AudiencePermissionsService } from '../../../src/audiences/audience-permissions/audience-permissions.service.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { TargetedByView } from '../../../src/campaigns/targeted-by/targeted-by.presenter.js';
import { rows } from '../../../src/common/db/query/rows.js';
import type { Resource } from '../../../src/common/entity/resource.entity.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { base36Ids, unlike } from '../../support/list-conventions.js';

useApp();

let owner: Advertiser;
let partner: Advertiser;
let audience: { id: string };
let place: { lineItem: { id: string }; permission: { id: string } };
beforeEach(async () => {
  [owner, partner] = await given.partners();
  audience = await given.targetableAudience({ account: owner.account });
});

const criteria = ({ account }: Advertiser, id?: string) =>
  `/12/accounts/${account.id}/targeting_criteria${id ? `/${id}` : ''}`;
const target = (by: Advertiser, { id: line_item_id }: { id: string }, more: Params = {}) =>
  by.api.post(criteria(by), {
    query: {
      line_item_id,
      targeting_type: 'CUSTOM_AUDIENCE',
      targeting_value: audience.id,
      operator_type: 'EQ',
      ...more,
    },
  });
const targeted = (by: Advertiser, query: Params = {}, id = audience.id) =>
  by.api.get(`/12/accounts/${by.account.id}/custom_audiences/${id}/targeted`, { query });
const shown = async (by: Advertiser, query: Params = {}): Promise<Json[]> => (await targeted(by, query)).body.data;
const share = () => given.sharedAudience({ account: owner.account, audience, to: partner.account, level: 'READ_ONLY' });
const revoke = ({ id }: { id: string }) =>
  world().get(AudiencePermissionsService).revoke(owner.account, audience.id, id, CUSTOM);
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
});
/** A line item that can serve: it has something to show, and so has its campaign. */
async function servable(by: Advertiser, campaign_id?: string) {
  const campaign = campaign_id ?? (await given.campaign({ account: by.account })).id;
  const item = await given.lineItem({ account: by.account, campaign_id: campaign });
  await world().sql('UPDATE line_items SET creatives = 1 WHERE id = $1', item.id);
  await world().sql('UPDATE campaigns SET complete = true WHERE id = $1', campaign);
  return item;
}

describe('an audience', () => {
  it('is targeted, and left out, by its name for all audiences', async () => {
    const [one, other] = await given.lineItems({ account: owner.account, count: 2 });
    const answer = await target(owner, one);
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'Custom audience targeting' } } });
    expect((await target(owner, other, { operator_type: 'NE' })).status).toBe(201);
    const both = await target(owner, one, { targeting_type: 'CUSTOM_AUDIENCE_EXPANDED' });
    expect(refusal(both)).toEqual({ status: 400, errors: ['INVALID_PARAMETER targeting_value'] });
  });

  it('has to be targetable', async () => {
    const empty = await given.customAudience({ account: owner.account });
    const item = await given.lineItem({ account: owner.account });
    const { status, body } = await target(owner, item, { targeting_value: empty.id });
    expect({ status, error: body.errors[0] }).toMatchObject({
      status: 400,
      error: { code: 'INVALID_PARAMETER', parameter: 'targeting_value', value: empty.id },
    });
  });

  it('of another account is targeted while it is shared; what targets it by then goes on', async () => {
    const item = await servable(partner);
    const other = await given.lineItem({ account: partner.account });
    const unknown = { status: 404, errors: ['NOT_FOUND targeting_value'] };
    expect(refusal(await target(partner, item))).toEqual(unknown);
    const permission = await share();
    const { data } = (await target(partner, item)).body;
    expect(await shown(partner)).toMatchObject([{ line_items: [{ id: item.id, servable: true }] }]);
    await revoke(permission);
    expect((await partner.api.get(criteria(partner, data.id))).body.data).toEqual(data);
    expect(refusal(await target(partner, other))).toEqual(unknown);
    expect(refusal(await target(partner, item))).toEqual(unknown);
    expect(refusal(await targeted(partner))).toEqual({ status: 404, errors: ['NOT_FOUND custom_audience_id'] });
    const line = (await partner.api.get(`/12/accounts/${partner.account.id}/line_items/${item.id}`)).body.data;
    expect(line).toMatchObject({ servable: true });
    await share();
    expect((await target(partner, other)).status).toBe(201);
    expect((await partner.api.delete(criteria(partner, data.id))).status).toBe(200);
  });

  it('that is deleted is targeted still where it was, and nowhere else', async () => {
    const [item, other] = await given.lineItems({ account: owner.account, count: 2 });
    const { data } = (await target(owner, item)).body;
    const gone = await owner.api.delete(`/12/accounts/${owner.account.id}/custom_audiences/${audience.id}`);
    expect(gone.status).toBe(200);
    expect((await owner.api.get(criteria(owner, data.id))).body.data).toEqual(data);
    expect(refusal(await target(owner, other))).toEqual({ status: 404, errors: ['NOT_FOUND targeting_value'] });
    expect(refusal(await targeted(owner))).toEqual({ status: 404, errors: ['NOT_FOUND custom_audience_id'] });
    expect((await owner.api.delete(criteria(owner, data.id))).status).toBe(200);
  });

  it.each([
    ['line item', LineItem, () => place.lineItem.id, ['NOT_FOUND line_item_id']],
    ['audience', CustomAudience, () => audience.id, ['NOT_FOUND targeting_value']],
    ['permission', AudiencePermission, () => place.permission.id, ['NOT_FOUND targeting_value']],
  ])('is not targeted while the %s is being deleted', async (_, entity: Type<Resource>, id, errors) => {
    place = { lineItem: await given.lineItem({ account: partner.account }), permission: await share() };
    let answering: Promise<Answer>;
    await world()
      .get(DataSource)
      .transaction(async (tx) => {
        const gone = rows(tx, entity).where('id', id());
        await gone.clone().setLock('pessimistic_write').getMany();
        const at = new Date(world().clock.now().getTime() + 1_000).toISOString();
        await gone.update({ deletedAt: at, updatedAt: at });
        // it reads what is stored so far, and has to wait before it stores
        answering = target(partner, place.lineItem);
        await setTimeout(300);
      });
    expect(refusal(await answering!)).toEqual({ status: 404, errors });
    expect(await world().sql('SELECT 1 FROM targeting_criteria WHERE "lineItemId" = $1', place.lineItem.id)).toEqual(
      [],
    );
  });
});

describe('what targets an audience', () => {
  it('answers campaigns with the line items that name it, the newest first', async () => {
    const first = await servable(owner);
    const second = await servable(owner, first.campaignId);
    const third = await servable(owner);
    await servable(owner);
    for (const item of [first, second, third]) await target(owner, item);
    const { status, body } = await targeted(owner);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'next_cursor', 'request']);
    expect(body.request.params).toEqual({ account_id: owner.account.id, custom_audience_id: audience.id });
    expect(body.next_cursor).toBeNull();
    const campaign = async (id: string) =>
      (await owner.api.get(`/12/accounts/${owner.account.id}/campaigns/${id}`)).body.data;
    expect(body.data).toEqual([
      {
        campaign_id: third.campaignId,
        campaign_name: (await campaign(third.campaignId)).name,
        line_items: [{ id: third.id, name: third.name, servable: true }],
      },
      {
        campaign_id: first.campaignId,
        campaign_name: (await campaign(first.campaignId)).name,
        line_items: [
          { id: second.id, name: second.name, servable: true },
          { id: first.id, name: first.name, servable: true },
        ],
      },
    ]);
    for (const each of body.data) expect(unlike(TargetedByView, each)).toEqual([]);
  });

  it('leaves out what cannot serve, unless with_active is false', async () => {
    const served = await servable(owner);
    const bare = await given.lineItem({ account: owner.account, campaign_id: served.campaignId });
    const paused = await given.lineItem({ account: owner.account, entity_status: 'PAUSED' });
    for (const item of [served, bare, paused]) await target(owner, item);
    const idsOf = (data: Json[]) => data.map(({ line_items: items }) => items.map(({ id }: Json) => id));
    expect(idsOf(await shown(owner))).toEqual([[served.id]]);
    expect(idsOf(await shown(owner, { with_active: true }))).toEqual([[served.id]]);
    const all = await shown(owner, { with_active: false });
    expect(idsOf(all)).toEqual([[paused.id], [bare.id, served.id]]);
    expect(all[1].line_items.map(({ servable: is }: Json) => is)).toEqual([false, true]);
    expect(refusal(await targeted(owner, { with_active: 'maybe' }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER with_active'],
    });
  });

  it('counts criteria of either type, wanted or not, until they or their line items are deleted', async () => {
    const items = [await servable(owner), await servable(owner), await servable(owner), await servable(owner)];
    const [meant, not, expanded, gone] = items;
    const made = [
      await target(owner, meant),
      await target(owner, not, { operator_type: 'NE' }),
      await target(owner, expanded, { targeting_type: 'CUSTOM_AUDIENCE_EXPANDED' }),
      await target(owner, gone),
    ];
    const campaigns = async () => (await shown(owner, { with_active: false })).map(({ campaign_id: id }) => id);
    expect(await campaigns()).toEqual(items.map(({ campaignId }) => campaignId).reverse());
    await owner.api.delete(criteria(owner, made[1].body.data.id));
    await owner.api.delete(`/12/accounts/${owner.account.id}/line_items/${gone.id}`);
    await owner.api.delete(`/12/accounts/${owner.account.id}/campaigns/${expanded.campaignId}`);
    expect(await campaigns()).toEqual([meant.campaignId]);
  });

  it('shows an account its own campaigns alone, of audiences that it can see', async () => {
    const [mine, theirs] = [await servable(owner), await servable(partner)];
    expect(refusal(await targeted(partner))).toEqual({ status: 404, errors: ['NOT_FOUND custom_audience_id'] });
    await share();
    await target(owner, mine);
    await target(partner, theirs);
    expect(await shown(owner)).toMatchObject([{ campaign_id: mine.campaignId }]);
    expect(await shown(partner)).toMatchObject([{ campaign_id: theirs.campaignId }]);
    expect(await shown(owner)).toHaveLength(1);
    expect(await shown(partner)).toHaveLength(1);
    const unknown = { status: 404, errors: ['NOT_FOUND custom_audience_id'] };
    expect(refusal(await targeted(owner, {}, base36Ids(0)))).toEqual(unknown);
    expect(refusal(await targeted(await given.advertiser()))).toEqual(unknown);
  });

  it('pages by 200 campaigns, each exactly once', async () => {
    const campaigns = await given.campaigns({ account: owner.account, count: 203, entity_status: 'PAUSED' });
    const items = await Promise.all(
      campaigns.map(({ id }) => given.lineItem({ account: owner.account, campaign_id: id, entity_status: 'PAUSED' })),
    );
    const left = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audience.id, operator_type: 'NE' };
    const json = items.map(({ id }) => ({ operation_type: 'Create', params: { line_item_id: id, ...left } }));
    const { status } = await owner.api.post(`/12/batch/accounts/${owner.account.id}/targeting_criteria`, { json });
    expect(status).toBe(200);
    const first = (await targeted(owner, { with_active: false })).body;
    expect(first.data).toHaveLength(200);
    const rest = (await targeted(owner, { with_active: false, cursor: first.next_cursor })).body;
    expect(rest.next_cursor).toBeNull();
    const ids = [...first.data, ...rest.data].map(({ campaign_id: id }) => id);
    expect(ids).toEqual(campaigns.map(({ id }) => id).reverse());
    for (const query of [{ cursor: 'x' }, { cursor: first.next_cursor }]) {
      expect(refusal(await targeted(owner, query))).toEqual({ status: 400, errors: ['INVALID_PARAMETER cursor'] });
    }
    expect(await shown(owner)).toEqual([]);
  }, 60_000);
});
