import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import { rows } from '../../common/db/query/rows.js';
import type { AdsEnvironment } from '../../common/http/urls/public-urls.js';
import { Clock } from '../../common/time/clock.js';
import { AppAttribution } from '../../measurement/attribution/app-attribution.service.js';
import { mactAppNotFound, noProvider } from '../campaigns.errors.js';
import { Campaign } from '../entities/campaign.entity.js';
import { LineItem } from '../entities/line-item.entity.js';
import { PromotedPost } from '../promoted-posts/promoted-post.entity.js';
import type { AttributedEngagement, Attribution } from './partner-events.rules.js';
import type { FindAttribution, SendAppEvent } from './partner-events.dto.js';
import { attributedEngagement, noteAppEvents, tagsOfApp, type AppTag } from './partner-events.statements.js';

/** Attributes events in apps for measurement partners. A partner is an application that an operator declares one. */
@Injectable()
export class PartnerEvents {
  constructor(
    private readonly clock: Clock,
    private readonly applications: ApplicationQueries,
    private readonly counts: AppAttribution,
  ) {}

  /** The attribution of an event, which is not stored. */
  async find(
    db: EntityManager,
    partnerId: string,
    environment: AdsEnvironment,
    params: FindAttribution,
  ): Promise<Attribution | null> {
    const { attribution } = await this.attribute(db, partnerId, environment, params);
    return attribution;
  }

  /**
   * The same, which counts in the statistics of the line item, once. The tags of the event note its arrival; the device is not
   * stored.
   */
  async receive(
    db: EntityManager,
    partnerId: string,
    environment: AdsEnvironment,
    params: SendAppEvent,
  ): Promise<Attribution | null> {
    const { attribution, tags } = await this.attribute(db, partnerId, environment, params);
    const tag = tags.find(({ accountId }) => accountId === attribution?.engagement.accountId);
    if (tag?.clockAdvancing) throw clockIsAdvancing(tag.accountId);
    if (attribution && tag)
      await this.counts.count(db, attribution.engagement, {
        tagId: tag.id,
        type: params.conversion_type,
        items: params.number_items,
        priceMicro: params.price_micro,
        currency: params.price_currency,
        receivedAt: this.clock.timeOf(tag)().toISOString(),
        identity: [
          ...[environment, params.os_type, params.app_id],
          ...[new Date(params.conversion_time).toISOString(), params.hashed_device_id.toLowerCase()],
        ],
      });
    await noteAppEvents(db, tags, (tag) => this.clock.timeOf(tag)());
    return attribution;
  }

  /** The attribution, and the tags that count the event. */
  private async attribute(
    db: EntityManager,
    partnerId: string,
    environment: AdsEnvironment,
    params: FindAttribution,
  ): Promise<{ attribution: Attribution | null; tags: AppTag[] }> {
    if (!(await this.applications.findById(partnerId, db))?.measurementPartner) throw noProvider();
    const ofApp = await tagsOfApp(db, params, environment);
    if (ofApp.length === 0) throw mactAppNotFound(params.app_id);
    const tags = ofApp.filter(({ conversionType }) => conversionType === params.conversion_type);
    const accountIds = [...new Set(tags.map(({ accountId }) => accountId))];
    const engagement = await attributedEngagement(db, params, accountIds);
    return { attribution: engagement ? await this.about(db, engagement) : null, tags };
  }

  /** Null if the line item was removed in the meantime. */
  private async about(db: EntityManager, engagement: AttributedEngagement): Promise<Attribution | null> {
    const { accountId, lineItemId, promotedId, promotedKind } = engagement;
    const lineItem = await rows(db, LineItem)
      .where('accountId', accountId)
      .where('id', lineItemId)
      .withDeleted()
      .getOne();
    if (!lineItem) return null;
    const [campaign, promoted] = await Promise.all([
      rows(db, Campaign).where('accountId', accountId).where('id', lineItem.campaignId).withDeleted().getOne(),
      promotedKind === 'PROMOTED_POST'
        ? rows(db, PromotedPost).where('accountId', accountId).where('id', promotedId).withDeleted().getOne()
        : undefined,
    ]);
    return campaign ? { engagement, lineItem, campaign, postId: promoted?.postId ?? null } : null;
  }
}
