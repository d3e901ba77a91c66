import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing } from '../../common/errors/catalogue.js';
import type { CreativeType } from '../../creatives/account-media/account-media.entity.js';
import { incompatibleLineItem } from '../campaigns.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { IN_STREAM_PLACEMENTS, type Placement } from '../entities/line-item.tables.js';
import type { MediaCreative } from './media-creative.entity.js';

/**
 * The placements of each creative type: images on the partner network, which PUBLISHER_NETWORK covers completely, and
 * videos.
 */
const SHOWN_AT: Record<CreativeType, readonly Placement[]> = {
  BANNER: ['PUBLISHER_NETWORK', 'TAP_BANNER'],
  BANNER_TABLET: ['PUBLISHER_NETWORK', 'TAP_BANNER'],
  INTERSTITIAL: ['PUBLISHER_NETWORK', 'TAP_FULL'],
  INTERSTITIAL_LANDSCAPE: ['PUBLISHER_NETWORK', 'TAP_FULL_LANDSCAPE'],
  INTERSTITIAL_LANDSCAPE_TABLET: ['PUBLISHER_NETWORK', 'TAP_FULL_LANDSCAPE'],
  INTERSTITIAL_TABLET: ['PUBLISHER_NETWORK', 'TAP_FULL'],
  MEDIUM_RECTANGLE: ['PUBLISHER_NETWORK', 'TAP_MRECT'],
  PREROLL: IN_STREAM_PLACEMENTS,
  VAST_PREROLL: IN_STREAM_PLACEMENTS,
};

/** Whether it is an in-stream video. */
export const isInStream = (creativeType: CreativeType): boolean => SHOWN_AT[creativeType] === IN_STREAM_PLACEMENTS;

type Item = Pick<Row<LineItem>, 'id' | 'productType' | 'objective' | 'placements'>;

/** Rejects a line item that does not show media, or not of this creative type. */
export function mediumProblem(item: Item, creativeType?: CreativeType): ApiError | undefined {
  const { id, productType, objective, placements } = item;
  if (productType !== 'MEDIA')
    return incompatibleLineItem(
      `Line Item ${id} is not configured for media creatives`,
      id,
      `its product_type is ${productType}, not MEDIA`,
    );
  if (!creativeType) return undefined;
  const places = SHOWN_AT[creativeType];
  if (isInStream(creativeType) !== (objective === 'PREROLL_VIEWS'))
    return incompatibleLineItem(
      `Line Item ${id} does not show account media of type ${creativeType}`,
      id,
      `its objective is ${objective}; PREROLL and VAST_PREROLL are for PREROLL_VIEWS, images for other objectives`,
    );
  if (places.some((place) => placements.includes(place))) return undefined;
  return incompatibleLineItem(
    `Line Item ${id} does not show account media of type ${creativeType}`,
    id,
    `it has the placements ${placements.join(', ')}; it must have one of ${places.join(', ')}`,
  );
}

/** The landing page of an image; null for an in-stream video. */
export const landingUrlOf = (creativeType: CreativeType, landingUrl: string | null | undefined): string | null =>
  isInStream(creativeType) ? null : (landingUrl ?? null);

/** The landing page is required if the objective buys clicks on the website. */
export const landingUrlProblem = (
  { objective }: Pick<Item, 'objective'>,
  landingUrl: string | null | undefined,
): ApiError | undefined =>
  objective === 'WEBSITE_CLICKS' && !landingUrl
    ? missing('landing_url', 'the objective WEBSITE_CLICKS requires it')
    : undefined;

/** The landing page of an existing media creative cannot change. Delete the creative instead. */
export const otherLandingProblem = (
  { id, landingUrl, creativeType }: Pick<Row<MediaCreative>, 'id' | 'landingUrl' | 'creativeType'>,
  asked: string | null | undefined,
): ApiError | undefined =>
  asked && landingUrlOf(creativeType, asked) !== landingUrl
    ? invalid(
        'landing_url',
        `Media Creative ${id} already shows this media on the line item with another landing_url`,
        {
          value: asked,
          details:
            landingUrl === null
              ? 'it has no landing_url; delete it first'
              : `its landing_url is ${landingUrl}; delete it first`,
        },
      )
    : undefined;
