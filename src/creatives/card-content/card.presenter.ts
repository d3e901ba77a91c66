import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  DECIMAL_ID,
  presentResource,
  ResourceView,
  Unescaped,
  WrittenAs,
} from '../../common/http/answers/responses.js';
import type { ComponentsContent } from './card-content.js';
import { CARD_URI, cardUriOf } from './card-uri.js';
import { COMPONENT_CARD_TYPES, type Card, type ComponentCardType } from '../entities/card.entity.js';
import {
  COMPONENT_VIEWS,
  COMPONENTS,
  presentComponent,
  SLIDES,
  WRITTEN_COMPONENTS,
  WRITTEN_SLIDES,
  type ComponentView,
  type ShownMediaByKey,
} from './component.presenter.js';

/** What cards of every kind have. */
export class CardFieldsView extends ResourceView {
  /** Its id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() declare id: string;
  /** The URI by which posts name it: `card://` and its id. */
  @ApiProperty({ type: String, pattern: CARD_URI.pattern.source }) @Unescaped() card_uri: string;
  /** What the card is called; only the account sees it. */
  @ApiProperty() name: string;
}

/** A card that is made of components. */
@ApiExtraModels(...COMPONENT_VIEWS)
export class CardView extends CardFieldsView {
  /** What it turned out to be. */
  @ApiProperty(enumSchema(COMPONENT_CARD_TYPES)) @Unescaped() card_type: ComponentCardType;
  /** What it consists of, in the order in which it is shown, unless it has slides. */
  @ApiProperty({ ...COMPONENTS, required: false }) @WrittenAs(WRITTEN_COMPONENTS) components?: ComponentView[];
  /** The cards of a carousel that lead to different places, each in the order in which it is shown. */
  @ApiProperty({ ...SLIDES, required: false }) @WrittenAs(WRITTEN_SLIDES) slides?: ComponentView[][];
}

/** A card with the media that it shows. */
export interface CardWithMedia {
  card: Row<Card>;
  media: ShownMediaByKey;
  /** The FULL promotable user of the account, to whom its videos belong. */
  ownerId: string | null;
}

/** Closes a view with what cards of every kind have. */
export const presentCardFields = <V extends object>(card: Row<Card>, view: V): V & CardFieldsView =>
  presentResource(card, Object.assign(view, { name: card.name, card_uri: cardUriOf(card.id) }));

export function presentCard({ card, media }: CardWithMedia): CardView {
  const { components, slides } = card.content as ComponentsContent;
  return presentCardFields(card, {
    card_type: card.cardType as ComponentCardType,
    ...(components && { components: components.map((each) => presentComponent(each, media)) }),
    ...(slides && { slides: slides.map((slide) => slide.map((each) => presentComponent(each, media))) }),
  });
}

/** What history keeps of a card of any kind: media under their keys. */
export const snapshotOfCard = (card: Row<Card>) =>
  presentResource(card, { name: card.name, card_type: card.cardType, card_uri: cardUriOf(card.id), ...card.content });
