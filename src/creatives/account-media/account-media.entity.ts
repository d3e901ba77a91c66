import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, MediaKeys, SpecialReference } from '../../common/entity/snapshots.js';
import type { MediaCategory } from '../entities/media.entity.js';

export const CREATIVE_TYPES = closedSet('CreativeType', [
  'BANNER',
  'BANNER_TABLET',
  'INTERSTITIAL',
  'INTERSTITIAL_LANDSCAPE',
  'INTERSTITIAL_LANDSCAPE_TABLET',
  'INTERSTITIAL_TABLET',
  'MEDIUM_RECTANGLE',
  'PREROLL',
  'VAST_PREROLL',
]);
export type CreativeType = (typeof CREATIVE_TYPES)[number];

/** A library media item that is an advertisement on its own: an in-stream video, or an image of a standard size. */
@Entity('account_media')
@InSnapshots()
@Index('account_media_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['accountId', 'creativeType', 'id'])
@Index('account_media_by_key', ['mediaKey', 'accountId'])
@Index('account_media_one_of_each', ['accountId', 'mediaKey'], { unique: true, where: '"deletedAt" IS NULL' })
export class AccountMedia extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @MediaKeys() mediaKey: string;
  @WordColumn(CREATIVE_TYPES) creativeType: CreativeType;
  /** Name of the media's file in its URL. */
  @Column({ type: 'varchar' }) @SpecialReference('an import compares it with the uploads of the library') file: string;
}

/** Deleting one does not change the library or the media creatives that reference it. */
export const ACCOUNT_MEDIA = defineResource<AccountMedia>({
  entity: AccountMedia,
  name: 'ACCOUNT_MEDIA',
  label: 'Account Media',
  parameter: 'account_media_id',
});

/** Creative types of images with exactly these sizes. */
const SIZES: Record<string, CreativeType> = {
  '320x50': 'BANNER',
  '728x90': 'BANNER_TABLET',
  '320x480': 'INTERSTITIAL',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
  '768x1024': 'INTERSTITIAL_TABLET',
  '300x250': 'MEDIUM_RECTANGLE',
};

/** The creative type of a media item that joins a library; undefined if it is not an advertisement on its own. */
export function creativeTypeOf(category: MediaCategory, width: number, height: number): CreativeType | undefined {
  if (category === 'AMPLIFY_VIDEO') return 'PREROLL';
  return category === 'POST_IMAGE' ? SIZES[`${width}x${height}`] : undefined;
}
