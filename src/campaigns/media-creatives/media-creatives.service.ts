import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { exists } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import { definedErrors, type ApiError } from '../../common/errors/api-error.js';
import type { Page } from '../../common/http/answers/page.js';
import { Created } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { UnreadableValue } from '../../common/http/params/refusals.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { ACCOUNT_MEDIA, AccountMedia } from '../../creatives/account-media/account-media.entity.js';
import { AccountMediaService } from '../../creatives/account-media/account-media.service.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { incrementCreatives } from '../statements/line-item.statements.js';
import { MEDIA_CREATIVES, type MediaCreative } from './media-creative.entity.js';
import {
  isInStream,
  landingUrlOf,
  landingUrlProblem,
  mediumProblem,
  otherLandingProblem,
} from './media-creative.rules.js';
import type { CreateMediaCreative, ListMediaCreatives } from './media-creatives.dto.js';

type CreativeRow = Row<MediaCreative>;

/** The data that the rules of a new media creative need. */
interface CreativeContext {
  account: ActingAccount;
  item?: Row<LineItem>;
  media?: Row<AccountMedia>;
  /** The existing creative, if the line item already shows the media. */
  attached?: CreativeRow;
}

/** Lists, creates and deletes the media creatives of line items. */
@Injectable()
export class MediaCreativesService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly media: AccountMediaService,
  ) {}

  list(account: ActingAccount, query: ListMediaCreatives): Promise<Page<CreativeRow>> {
    const creatives = this.resources
      .of(account, MEDIA_CREATIVES)
      .whereIn('id', query.media_creative_ids)
      .whereIn('lineItemId', query.line_item_ids);
    if (query.campaign_id !== undefined) creatives.where('campaignId', query.campaign_id);
    return page(this.items.ofShown(account, creatives, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<CreativeRow> {
    return this.items.getBelonging(account, MEDIA_CREATIVES, id, query);
  }

  /** Returns the existing creative unchanged if the line item already shows the media. */
  create(account: ActingAccount, request: Parsed<CreateMediaCreative>): Promise<Created<CreativeRow>> {
    return this.resources.change(account, MEDIA_CREATIVES, [request], async (unit) => {
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless(problemsOfNew(request, context));
      const { item, media, attached } = context;
      if (attached) return new Created(attached, false);
      const { line_item_id: lineItemId, account_media_id: accountMediaId } = params;
      const unknown = () => ACCOUNT_MEDIA.notFoundError(account)(accountMediaId);
      unit.require(
        lineItemIsHeld({ accountId: account.id, lineItemId }),
        exists(AccountMedia, { accountId: account.id, id: accountMediaId }, unknown),
      );
      unit.addWrite(...incrementCreatives(account.id, [{ lineItemId, by: 1 }]));
      const { creativeType } = media!;
      const creative = unit.create({
        accountId: account.id,
        lineItemId,
        campaignId: item!.campaignId,
        accountMediaId,
        creativeType,
        landingUrl: landingUrlOf(creativeType, params.landing_url),
        paused: false,
        approvalStatus: 'ACCEPTED',
      });
      return new Created(creative, true);
    });
  }

  delete(account: ActingAccount, id: string): Promise<CreativeRow> {
    return this.items.deleteBelonging(account, MEDIA_CREATIVES, id, 'MEDIA');
  }

  private async contextOf(
    { account, db }: UnitOfWork<MediaCreative>,
    request: Parsed<CreateMediaCreative>,
  ): Promise<CreativeContext> {
    const lineItemId = request.value('line_item_id');
    const mediaId = request.value('account_media_id');
    const [item, media, attached] = await Promise.all([
      this.items.find(account, lineItemId, db),
      mediaId === undefined ? undefined : this.media.find(account, mediaId, db),
      this.items.findBelonging(account, MEDIA_CREATIVES, { lineItemId, accountMediaId: mediaId }, db),
    ]);
    return { account, item, media, attached };
  }
}

/** Problems of a new creative, as far as its parameters are readable. */
function problemsOfNew(
  request: Parsed<CreateMediaCreative>,
  { account, item, media, attached }: CreativeContext,
): ApiError[] {
  const lineItemId = request.value('line_item_id');
  const mediaId = request.value('account_media_id');
  const { landing, problems } = landingIn(request, attached ?? media);
  if (item && attached)
    return [...problems, ...definedErrors(landing && otherLandingProblem(attached, landing.landing_url))];
  const unfit = item && mediumProblem(item, media?.creativeType);
  return [
    ...problems,
    ...unknownReference(LINE_ITEMS, account, lineItemId, item),
    ...unknownReference(ACCOUNT_MEDIA, account, mediaId, media),
    ...definedErrors(unfit, item && landing && !unfit ? landingUrlProblem(item, landing.landing_url) : undefined),
  ];
}

/** The landing page of an image, as far as it is readable. For an in-stream video it is ignored, even if invalid. */
function landingIn(
  parsed: Parsed<CreateMediaCreative>,
  medium: Pick<Row<AccountMedia>, 'creativeType'> | undefined,
): { landing?: Pick<CreateMediaCreative, 'landing_url'>; problems: ApiError[] } {
  if (medium && isInStream(medium.creativeType)) return { landing: {}, problems: [] };
  const landing = parsed.known('landing_url');
  const url: unknown = landing?.landing_url;
  return url instanceof UnreadableValue ? { problems: url.problems } : { ...(landing && { landing }), problems: [] };
}
