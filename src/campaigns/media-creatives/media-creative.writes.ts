import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { unknownReference } from '../../accounts/resources/resource-definition.js';
import { exists } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import { presentProblems, type ApiError } from '../../common/errors/api-error.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { UnreadValue } from '../../common/http/params/refusals.js';
import { AccountMedia } from '../../creatives/account-media/account-media.entity.js';
import { ACCOUNT_MEDIA } from '../../creatives/account-media/account-media.resource.js';
import { AccountMediaService } from '../../creatives/account-media/account-media.service.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { incrementCreatives } from '../statements/line-item.statements.js';
import type { MediaCreative } from './media-creative.entity.js';
import { MEDIA_CREATIVES } from './media-creative.resource.js';
import {
  isInStream,
  landingUrlOf,
  landingUrlProblem,
  mediumProblem,
  otherLandingProblem,
} from './media-creative.rules.js';
import type { CreateMediaCreative } from './media-creatives.dto.js';

type CreativeRow = Row<MediaCreative>;

/** The data that the rules of a new media creative need. */
interface Context {
  account: ActingAccount;
  item?: Row<LineItem>;
  media?: Row<AccountMedia>;
  /** The existing creative, if the line item already shows the media. */
  attached?: CreativeRow;
}

/** Adds media to line items. */
@Injectable()
export class MediaCreativeWrites {
  constructor(
    private readonly items: ParentLineItems,
    private readonly media: AccountMediaService,
  ) {}

  /** Returns the existing creative unchanged if the line item already shows the media. */
  readonly create = defineWrite<MediaCreative, CreateMediaCreative, Context, Made<CreativeRow>>(MEDIA_CREATIVES, {
    context: async ({ account, db }, [request]) => {
      const lineItemId = request.value('line_item_id');
      const mediaId = request.value('account_media_id');
      const [item, media, attached] = await Promise.all([
        this.items.find(account, lineItemId, db),
        mediaId === undefined ? undefined : this.media.find(account, mediaId, db),
        this.items.findBelonging(account, MEDIA_CREATIVES, { lineItemId, accountMediaId: mediaId }, db),
      ]);
      return { account, item, media, attached };
    },
    problems: problemsOfNew,
    apply: (unitOfWork, params, { account, item, media, attached }) => {
      if (attached) return new Made(attached, false);
      const { line_item_id: lineItemId, account_media_id: accountMediaId } = params;
      const unknown = () => ACCOUNT_MEDIA.notFoundError(account)(accountMediaId);
      unitOfWork.require(
        lineItemIsHeld({ accountId: account.id, lineItemId }),
        exists(AccountMedia, { accountId: account.id, id: accountMediaId }, unknown),
      );
      unitOfWork.addWrite(...incrementCreatives(account.id, [{ lineItemId, by: 1 }]));
      const { creativeType } = media!;
      const creative = unitOfWork.create({
        accountId: account.id,
        lineItemId,
        campaignId: item!.campaignId,
        accountMediaId,
        creativeType,
        landingUrl: landingUrlOf(creativeType, params.landing_url),
        paused: false,
        approvalStatus: 'ACCEPTED',
      });
      return new Made(creative, true);
    },
  });
}

/** Problems of a new resource, as far as its parameters are readable. */
function problemsOfNew(request: Parsed<CreateMediaCreative>, { account, item, media, attached }: Context): ApiError[] {
  const lineItemId = request.value('line_item_id');
  const mediaId = request.value('account_media_id');
  const { landing, problems } = landingIn(request, attached ?? media);
  if (item && attached)
    return [...problems, ...presentProblems(landing && otherLandingProblem(attached, landing.landing_url))];
  const unfit = item && mediumProblem(item, media?.creativeType);
  return [
    ...problems,
    ...unknownReference(LINE_ITEMS, account, lineItemId, item),
    ...unknownReference(ACCOUNT_MEDIA, account, mediaId, media),
    ...presentProblems(unfit, item && landing && !unfit ? landingUrlProblem(item, landing.landing_url) : undefined),
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
  return url instanceof UnreadValue ? { problems: url.problems } : { ...(landing && { landing }), problems: [] };
}
