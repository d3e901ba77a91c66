import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import {
  DECIMAL_ID,
  ResourceView,
  Unescaped,
  SerializedAs,
  presentResource,
} from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { CARDS, COMPONENT_CARD_TYPES, Card, type ComponentCardType } from '../entities/card.entity.js';
import {
  CARD_URI,
  cardUriOf,
  fieldsOfChoices,
  fieldsOfCtas,
  type ComponentsContent,
  type ConversationContent,
  type PollContent,
} from './card-content.js';
import {
  COMPONENTS,
  COMPONENT_VIEWS,
  SLIDES,
  WRITTEN_COMPONENTS,
  WRITTEN_SLIDES,
  presentComponent,
  type ComponentView,
  type ShownMediaByKey,
} from './component.presenter.js';

/** Fields of cards of every kind. */
export class CardFieldsView extends ResourceView {
  /** The card's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() declare id: string;
  /** The URI that posts use to reference the card: `card://` followed by its id. */
  @ApiProperty({ type: String, pattern: CARD_URI.pattern.source }) @Unescaped() card_uri: string;
  /** The card's name, visible only to the account. */
  @ApiProperty() name: string;
}

/** A card made of components. */
@ApiExtraModels(...COMPONENT_VIEWS)
export class CardView extends CardFieldsView {
  /** The card's type, derived from its components. */
  @ApiProperty(enumSchema(COMPONENT_CARD_TYPES)) @Unescaped() card_type: ComponentCardType;
  /** The components in display order; absent if the card has slides. */
  @ApiProperty({ ...COMPONENTS, required: false }) @SerializedAs(WRITTEN_COMPONENTS) components?: ComponentView[];
  /** The slides of a carousel with several destinations, each a list of components in display order. */
  @ApiProperty({ ...SLIDES, required: false }) @SerializedAs(WRITTEN_SLIDES) slides?: ComponentView[][];
}

/** A card and the media that it shows. */
export interface CardWithMedia {
  card: Row<Card>;
  media: ShownMediaByKey;
  /** The account's FULL promotable user, who owns the card's videos. */
  ownerId: string | null;
}

/** Appends the fields of cards of every kind to a view. */
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

/** Snapshot of a card of any kind for the change history, by the names of requests; media are identified by their keys. */
function snapshotOfCard(card: Row<Card>) {
  const { ctas = [], choices = [], ...content } = card.content as Partial<ConversationContent & PollContent>;
  const fields = { ...content, ...fieldsOfCtas(ctas), ...fieldsOfChoices(choices) };
  return presentResource(card, { name: card.name, card_type: card.cardType, card_uri: cardUriOf(card.id), ...fields });
}

recordAs(
  CARDS,
  {
    view: CardView,
    without: ['card_type', 'components', 'slides'],
    also: { card_type: { type: 'string', description: 'The card type.' } },
    others: 'The content of the card, which depends on its type.',
  },
  snapshotOfCard,
);
