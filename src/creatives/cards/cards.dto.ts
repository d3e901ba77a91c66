import { ApiExtraModels } from '@nestjs/swagger';
import { exclusive } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, enumSchema, Field, Ids, listSchema, oneOf, list, text, Text } from '../../common/http/params/fields.js';
import { nested } from '../../common/http/params/parts.js';
import { ListQuery } from '../../common/list/list-query.js';
import { unknownCardType } from '../creatives.errors.js';
import { CARD_URI, type Component } from '../card-content/card-content.js';
import { Card, COMPONENT_CARD_TYPES, type ComponentCardType } from '../entities/card.entity.js';
import { COMPONENT_VIEWS, COMPONENTS, SLIDES } from '../card-content/component.presenter.js';
import { components, slides } from '../card-content/component.parts.js';

/** An unknown card type has an error code of its own. */
const cardType = oneOf(COMPONENT_CARD_TYPES, [], {
  error: (given) => unknownCardType(given, COMPONENT_CARD_TYPES),
});

const cardUris = list(text({ min: 1, max: 100, matching: CARD_URI }));
const CARD_URIS = listSchema({ type: 'string', pattern: CARD_URI.pattern.source }, { min: 1, max: 200 });

export class ListCards extends ListQuery(Card, { count: 100, max: 200 }) {
  /** Types of the cards to return. */
  @Field(list(cardType), { optional: true }, listSchema(enumSchema(COMPONENT_CARD_TYPES), { min: 1, max: 200 }))
  card_types?: ComponentCardType[];
  /** Ids of the cards to return. */
  @Ids({ decimal: true, optional: true }) card_id?: string[];
  /** URIs of the cards to return. */
  @Field(cardUris, { optional: true }, CARD_URIS) card_uris?: string[];
  /** Whether to include cards of other kinds, such as poll cards, each with the fields of its kind. */
  @Bool({ optional: true, default: false }) include_legacy_cards?: boolean;
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

@Example({ card_uris: ['{card_uri}'] })
export class ListAllCards {
  /** URIs of the cards to return, of any kind. The response omits URIs that match no card. */
  @Field(cardUris, {}, CARD_URIS) card_uris: string[];
  /** Whether to include deleted cards. */
  @Bool({ optional: true, default: false }) with_deleted?: boolean;
}

const onlyOne = ({ components, slides }: Pick<UpdateCard, 'components' | 'slides'>) =>
  components && slides ? exclusive('components', 'slides') : undefined;

@Example({
  name: 'Winter menu',
  components: [
    { type: 'MEDIA', media_key: '{media_key_image}' },
    { type: 'DETAILS', title: 'Soups and stews', destination: { type: 'WEBSITE', url: 'https://example.com/menu' } },
  ],
})
@Rule(['components', 'slides'], onlyOne)
@ApiExtraModels(...COMPONENT_VIEWS)
export class CreateCard {
  /** The card's name, visible only to the account. */
  @Text({ visible: true, max: 80, example: 'Winter menu' }) name: string;
  /** The components in display order: one with media, followed by one with a destination. */
  @Field(nested(components), { nullable: true }, COMPONENTS) components?: Component[] | null;
  /** Instead of components: the slides of a carousel with several destinations, each MEDIA followed by DETAILS. */
  @Field(nested(slides), { nullable: true }, SLIDES) slides?: Component[][] | null;
}

@Example({ name: 'Winter menu, second week' })
@Rule(['components', 'slides'], onlyOne)
@ApiExtraModels(...COMPONENT_VIEWS)
export class UpdateCard {
  /** The card's name, visible only to the account. */
  @Text({ visible: true, optional: true, max: 80, example: 'Winter menu' }) name?: string;
  /** The card's new components. They also replace slides. */
  @Field(nested(components), { nullable: true }, COMPONENTS) components?: Component[] | null;
  /** The new slides of a carousel. They also replace components. */
  @Field(nested(slides), { nullable: true }, SLIDES) slides?: Component[][] | null;
}
