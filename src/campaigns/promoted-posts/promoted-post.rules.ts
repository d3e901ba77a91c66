import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, notAllowed } from '../../common/errors/catalogue.js';
import { incompatibleLineItem } from '../campaigns.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { unsuitability, type Shows } from './suitability.rules.js';

/** Line items for posts promote posts. Line items for accounts promote posts besides accounts. */
export const takesPosts = ({ id, productType }: Pick<Row<LineItem>, 'id' | 'productType'>): ApiError | undefined =>
  productType === 'MEDIA'
    ? incompatibleLineItem(
        `Line Item ${id} is not configured for promoted posts`,
        id,
        'its product_type is MEDIA: it shows media creatives; PROMOTED_POSTS and PROMOTED_ACCOUNT take posts',
      )
    : undefined;

/** Validates that the content of a post fits the objective; `parameter` named the post. */
export function suitabilityProblem(
  { objective, creativeSource }: Pick<Row<LineItem>, 'objective' | 'creativeSource'>,
  parameter: 'post_ids' | 'scheduled_post_id',
  id: string,
  shows: Shows,
): ApiError | undefined {
  const what = parameter === 'post_ids' ? 'Post' : 'Scheduled Post';
  const isDynamic = creativeSource === 'DYNAMIC_PRODUCT_CREATIVE';
  if ((shows.cardType === 'DYNAMIC_PRODUCTS') !== isDynamic)
    return invalid(
      parameter,
      isDynamic
        ? `${what} ${id} has no dynamic product card, which the creative source ${creativeSource} of the line item requires`
        : `${what} ${id} has a dynamic product card, which requires a line item with the creative source DYNAMIC_PRODUCT_CREATIVE`,
      { value: id, details: `the creative source of the line item is ${creativeSource}` },
    );
  const why = unsuitability(objective, shows);
  return (
    why &&
    invalid(parameter, `${what} ${id} cannot be promoted for the objective ${objective}, which requires ${why.needs}`, {
      value: id,
      details: why.has,
    })
  );
}

/** A post of another user is promoted as a repost on behalf of the FULL promotable user. */
export const repostNotAllowed = (
  parameter: 'post_ids' | 'scheduled_post_id',
  what: 'Post' | 'Scheduled Post',
  id: string,
  fullUserId: string,
): ApiError =>
  notAllowed(`${what} ${id} belongs to another user and requires a repost, which this user may not create`, {
    parameter,
    value: id,
    details: `the permission POST_COMPOSER is required to repost as User ${fullUserId}; see authenticated_user_access`,
  });

/** The placements of a line item for accounts after it gets a post; undefined if they already include the timeline. */
export const placementsWithPost = ({
  productType,
  placements,
}: Pick<Row<LineItem>, 'productType' | 'placements'>): Row<LineItem>['placements'] | undefined =>
  productType === 'PROMOTED_ACCOUNT' && !placements.includes('PLATFORM_TIMELINE')
    ? [...placements, 'PLATFORM_TIMELINE']
    : undefined;
