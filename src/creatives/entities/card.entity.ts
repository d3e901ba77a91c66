import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, NameIndex, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { newNumber } from '../../common/entity/ids.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, MediaKeys, TextColumn } from '../../common/entity/snapshots.js';

/** Types of component-based cards, derived from their components. */
export const COMPONENT_CARD_TYPES = closedSet('CardType', [
  'IMAGE_APP',
  'IMAGE_CAROUSEL_APP',
  'IMAGE_CAROUSEL_WEBSITE',
  'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE',
  'IMAGE_WEBSITE',
  'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE',
  'VIDEO_APP',
  'VIDEO_CAROUSEL_APP',
  'VIDEO_CAROUSEL_WEBSITE',
  'VIDEO_MULTI_DEST_CAROUSEL_WEBSITE',
  'VIDEO_WEBSITE',
]);
export type ComponentCardType = (typeof COMPONENT_CARD_TYPES)[number];

/** The endpoint that creates a card. */
export const CARD_KINDS = [
  ...(['COMPONENTS', 'IMAGE_CONVERSATION', 'VIDEO_CONVERSATION', 'POLL', 'DYNAMIC_PRODUCTS'] as const),
] as const;
export type CardKind = (typeof CARD_KINDS)[number];

const CARD_TYPES = [
  ...COMPONENT_CARD_TYPES,
  'IMAGE_CONVERSATION',
  'VIDEO_CONVERSATION',
  'TEXT_POLLS',
  'IMAGE_POLLS',
  'VIDEO_POLLS',
  'DYNAMIC_PRODUCTS',
] as const;
export type CardType = (typeof CARD_TYPES)[number];

/**
 * A card of any kind. All kinds share one table, because `cards/all` and lists with legacy cards return them in one
 * order. Ids are decimal; the URI is `card://<id>`. Fields of one kind are in `content`.
 */
@Entity('cards')
@InSnapshots()
@Index('cards_id', ['id'])
@Index('cards_media', { synchronize: false })
@Index(['accountId', 'kind', 'id'])
@Index('cards_live', ['accountId', 'kind', 'id'], { where: '"deletedAt" IS NULL' })
@Index('cards_live_all', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'kind', 'updatedAt', 'id'])
@NameIndex('cards_name', ['accountId', 'kind', 'name', 'id'])
export class Card extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @WordColumn(CARD_KINDS, { collation: 'C' }) kind: CardKind;
  @WordColumn(CARD_TYPES, { collation: 'C' }) cardType: CardType;
  @TextColumn() name: string;
  /** Fields of the card's kind, in the form that its rules read. */
  @Column({ type: 'json' }) content: object;
  /** Library media that the card shows, in order, without duplicates. */
  @Column({ type: 'varchar', array: true }) @MediaKeys() mediaKeys: string[];
  /** End of a poll; null for other kinds. */
  @TimestampColumn({ nullable: true }) endsAt: Date | null;
}

/** Cards of every kind. Deleting one does not change the posts that show it. */
export const CARDS = defineResource<Card>({
  entity: Card,
  name: 'CARD',
  label: 'Card',
  parameter: 'card_id',
  newId: newNumber,
});
