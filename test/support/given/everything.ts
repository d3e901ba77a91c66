import { createHash } from 'node:crypto';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { CustomAudienceBatchService } from '../../../src/audiences/custom-audiences/custom-audience-batch.service.js';
import { CustomAudienceUsersService } from '../../../src/audiences/audience-users/custom-audience-users.service.js';
import { DoNotReachListsService } from '../../../src/audiences/do-not-reach-lists/do-not-reach-lists.service.js';
import { ConversionsService } from '../../../src/measurement/conversions/conversions.service.js';
import { EngagementsService } from '../../../src/measurement/engagements/engagements.service.js';
import { WebAudiencesJob } from '../../../src/measurement/web-audiences/web-audiences.job.js';
import { snapshotTables } from '../../../src/workbench/snapshots/snapshot-tables.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { world } from '../app.js';
import { conversionsMatched } from '../conversions.js';
import { accounts } from './accounts.js';
import { audiences } from './audiences.js';
import { campaigns } from './campaigns.js';
import { catalogs } from './catalogs.js';
import { creatives } from './creatives.js';
import { measurement } from './measurement.js';

const HOUR_MS = 3_600_000;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** An account that has a row in every table of snapshots. */
export interface Everything {
  lineItemId: string;
  audienceId: string;
  /** Shared with the account by its partner. */
  sharedId: string;
  /** Of both. */
  flexibleId: string;
  /** The hour after the last delivered one. */
  next: Date;
}

/**
 * Gives an account something in every table of snapshots, through the services and by simulated delivery. `partner` shares an
 * audience with it, and it shares one with `partner`: both are of one business.
 */
export async function everything(account: ActingAccount, partner: ActingAccount): Promise<Everything> {
  const { id: campaign_id } = await campaigns.campaign({ account });
  const lineItem = await campaigns.lineItem({ account, campaign_id });
  const item = { account, lineItemId: lineItem.id };
  const { id: audienceId } = await audiences.targetableAudience({ account });
  const { id: sharedId } = await audiences.targetableAudience({ account: partner });
  await audiences.sharedAudience({ account: partner, audience: { id: sharedId }, to: account });
  await audiences.sharedAudience({ account, audience: { id: audienceId }, to: partner });
  const leaf = (custom_audience_id: string) => ({ custom_audience_id, lookback_window: 30 });
  const params = { name: 'Either', audience_type: 'FLEXIBLE', boolean_operator: 'OR' };
  const flexible = { ...params, child_segments: [leaf(audienceId), leaf(sharedId)] };
  const { items } = await world()
    .get(CustomAudienceBatchService)
    .batch(account, [{ operation_type: 'Create', params: flexible }]);
  await world().get(DoNotReachListsService).create(account, { description: 'Never' });
  const identifiers = { email: [hashOf(audienceId)], phone_number: [hashOf(`+${audienceId}`)] };
  await world()
    .get(CustomAudienceUsersService)
    .upload(account, audienceId, [{ operation_type: 'Update', params: { users: [identifiers] } }]);
  for (const id of [audienceId, items[0].id]) await audiences.sized(account, id);
  for (const targeting of [
    { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audienceId, operator_type: 'EQ' },
    { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: sharedId, operator_type: 'NE' },
    { targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' },
    { targeting_type: 'FOLLOWERS_OF_USER', targeting_value: account.userId },
    { targeting_type: 'CAMPAIGN_ENGAGEMENT', targeting_value: lineItem.campaignId },
    { targeting_type: 'BROAD_KEYWORD', targeting_value: 'über 🧀' },
  ] as const)
    await campaigns.targetingCriterion({ account, line_item_id: lineItem.id, ...targeting });

  const card = await creatives.card(account);
  const pages = { introduction: { headline: 'Taste' }, final_page: { headline: 'Thanks' } };
  const form = await creatives.leadForm({ account, ...pages });
  const { mediaKey: media_key } = await creatives.libraryMedia(account);
  const destination = { type: 'LEAD_FORM', id: form.id } as const;
  await creatives.card(account, {
    components: [
      { type: 'MEDIA', media_key },
      { type: 'DETAILS', title: 'Taste', destination },
    ],
  });
  await creatives.pollCard(account);
  await creatives.dynamicProductCard(account);
  await creatives.imageConversationCard(account);
  const { mediaKey } = await creatives.libraryMedia(account);
  await creatives.draftPost({ account, media_keys: [mediaKey] });
  const scheduled = await creatives.scheduledPost({ account, card_uri: `card://${card.id}` });
  const post = await creatives.post({ account, name: 'Named' });
  const promoted = await campaigns.promotedPost({ ...item, postId: post.id });
  await campaigns.scheduledPromotedPost({ ...item, postId: scheduled.id });
  await campaigns.promotedAccount({ account, userId: account.userId });
  const preroll = await campaigns.prerollLineItem({ account });
  await campaigns.mediaCreative({ account, lineItemId: preroll.id });
  await campaigns.prerollCallToAction({ account, lineItemId: preroll.id });
  await campaigns.trackingTag(item);
  const inDays = (days: number) => new Date(account.now().getTime() + days * 24 * HOUR_MS).toISOString();
  const times = { start_time: inDays(5), end_time: inDays(8) };
  await campaigns.abTest({ account, campaignIds: [campaign_id, preroll.campaignId], ...times });
  await campaigns.lineItemCuratedCategory({ account, lineItemId: preroll.id });
  await accounts.taxSettings(account);
  await measurement.appEventTag({ account });
  await measurement.appList({ account });
  await measurement.providerConfiguration({ account });
  const { id: primary_web_event_tag } = await measurement.webEventTag({ account, retargeting_enabled: true });
  await world().get(WebAudiencesJob).keepAll();
  await conversionAfterClick(account, {
    lineItemId: lineItem.id,
    promotedId: promoted.id,
    tagId: primary_web_event_tag,
  });
  await campaigns.lineItem({
    account,
    campaign_id: (await campaigns.campaign({ account })).id,
    objective: 'WEBSITE_CLICKS',
    goal: 'WEBSITE_CONVERSIONS',
    primary_web_event_tag,
    entity_status: 'PAUSED',
  });
  const { catalog_id, product_set_id } = await catalogs.productSet(account);
  await campaigns.lineItem({
    account,
    campaign_id: (await campaigns.campaign({ account })).id,
    objective: 'WEBSITE_CLICKS',
    goal: 'WEBSITE_CONVERSIONS',
    primary_web_event_tag,
    creative_source: 'DYNAMIC_PRODUCT_CREATIVE',
    catalog_id,
    product_set_id,
    entity_status: 'PAUSED',
  });

  // two days, so that the first one is summed
  const now = world().clock.now().getTime();
  const start = Math.ceil(now / (24 * HOUR_MS)) * 24 * HOUR_MS;
  for (let hour = 22; hour < 26; hour++)
    await world()
      .get(SimulatedDelivery)
      .deliverHour(account.id, new Date(start + hour * HOUR_MS));
  return {
    lineItemId: lineItem.id,
    audienceId,
    sharedId,
    flexibleId: items[0].id,
    next: new Date(start + 26 * HOUR_MS),
  };
}

/** A conversion of the tag that is attributed to a click on the promoted post. */
async function conversionAfterClick(
  account: ActingAccount,
  { lineItemId, promotedId, tagId }: { lineItemId: string; promotedId: string; tagId: string },
): Promise<void> {
  const now = account.now().getTime();
  const click = { isClick: true, placement: 'ALL_ON_PLATFORM', promotedKind: 'PROMOTED_POST' } as const;
  const of = { userId: account.userId, lineItemId, promotedId, tagId, audienceId: '', currency: 'USD' };
  const [{ twclid }] = await world()
    .get(EngagementsService)
    .store(account.db, account, [{ ...click, ...of, isForWebsite: true, at: new Date(now - HOUR_MS).toISOString() }]);
  await world()
    .get(ConversionsService)
    .receiveOne(account, { conversion_timestamp: now, event_id: tagId, identifiers: [{ twclid }] });
  await conversionsMatched(account.id);
}

/** The number of rows that an account has in each table of snapshots, by the name of the table. */
export async function rowsByTable(accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, owner } of snapshotTables()) {
    const holders = `SELECT id FROM custom_audiences WHERE "accountId" = $1 UNION ALL SELECT id FROM do_not_reach_lists WHERE "accountId" = $1`;
    const condition = owner === 'accountId' ? '"accountId" = $1' : `"audienceId" IN (${holders})`;
    const [{ n }] = await world().sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${name} WHERE ${condition}`,
      accountId,
    );
    counts[name] = n;
  }
  return counts;
}
