import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
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
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly applications: ApplicationQueries,
    private readonly counts: AppAttribution,
  ) {}

  /** The attribution of an event, which is not stored. */
  async find(partnerId: string, environment: AdsEnvironment, params: FindAttribution): Promise<Attribution | null> {
    const { attribution } = await this.attribute(partnerId, environment, params);
    return attribution;
  }

  /** The same, which counts in the statistics of the line item. The tags of the event note its arrival; the device is not stored. */
  async receive(partnerId: string, environment: AdsEnvironment, params: SendAppEvent): Promise<Attribution | null> {
    const { attribution, tags } = await this.attribute(partnerId, environment, params);
    const receivedAt = this.clock.now().toISOString();
    await noteAppEvents(this.db.manager, tags, receivedAt);
    const tag = tags.find(({ accountId }) => accountId === attribution?.engagement.accountId);
    if (attribution && tag)
      await this.counts.count(this.db.manager, attribution.engagement, {
        tagId: tag.id,
        type: params.conversion_type,
        items: params.number_items,
        priceMicro: params.price_micro,
        currency: params.price_currency,
        receivedAt,
      });
    return attribution;
  }

  /** The attribution, and the tags that count the event. */
  private async attribute(
    partnerId: string,
    environment: AdsEnvironment,
    params: FindAttribution,
  ): Promise<{ attribution: Attribution | null; tags: AppTag[] }> {
    const { manager } = this.db;
    if (!(await this.applications.findById(partnerId))?.measurementPartner) throw noProvider();
    const ofApp = await tagsOfApp(manager, params, environment);
    if (ofApp.length === 0) throw mactAppNotFound(params.app_id);
    const tags = ofApp.filter(({ conversionType }) => conversionType === params.conversion_type);
    const accountIds = [...new Set(tags.map(({ accountId }) => accountId))];
    const engagement = await attributedEngagement(manager, params, accountIds);
    return { attribution: engagement ? await this.about(engagement) : null, tags };
  }

  /** Null if the line item was removed in the meantime. */
  private async about(engagement: AttributedEngagement): Promise<Attribution | null> {
    const { manager } = this.db;
    const { accountId, lineItemId, promotedId, promotedKind } = engagement;
    const lineItem = await rows(manager, LineItem)
      .where('accountId', accountId)
      .where('id', lineItemId)
      .withDeleted()
      .getOne();
    if (!lineItem) return null;
    const [campaign, promoted] = await Promise.all([
      rows(manager, Campaign).where('accountId', accountId).where('id', lineItem.campaignId).withDeleted().getOne(),
      promotedKind === 'PROMOTED_POST'
        ? rows(manager, PromotedPost).where('accountId', accountId).where('id', promotedId).withDeleted().getOne()
        : undefined,
    ]);
    return campaign ? { engagement, lineItem, campaign, postId: promoted?.postId ?? null } : null;
  }
}
