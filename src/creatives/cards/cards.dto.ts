import { ApiExtraModels } from '@nestjs/swagger';
import { exclusive } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import { Bool, enumSchema, Field, Ids, listOf, oneOf, several, text, Text } from '../../common/http/params/fields.js';
import { nested } from '../../common/http/params/parts.js';
import { ListQuery } from '../../common/list/list-query.js';
import { unknownCardType } from '../creatives.errors.js';
import type { Component } from '../card-content/card-content.js';
import { CARD_URI } from '../card-content/card-uri.js';
import { Card, COMPONENT_CARD_TYPES, type ComponentCardType } from '../entities/card.entity.js';
import { COMPONENT_VIEWS, COMPONENTS, SLIDES } from '../card-content/component.presenter.js';
import { components, slides } from '../card-content/component.parts.js';

/** A word that is no type of card has a code of its own. */
const cardType = oneOf(COMPONENT_CARD_TYPES, [], {
  error: (given) => unknownCardType(String(given), COMPONENT_CARD_TYPES),
});

const cardUris = several(text({ min: 1, max: 100, matching: CARD_URI }));
const CARD_URIS = listOf({ type: 'string', pattern: CARD_URI.pattern.source }, { min: 1, max: 200 });

export class ListCards extends ListQuery(Card, { count: 100, max: 200 }) {
  /** Only cards that turned out to be one of these. */
  @Field(several(cardType), { optional: true }, listOf(enumSchema(COMPONENT_CARD_TYPES), { min: 1, max: 200 }))
  card_types?: ComponentCardType[];
  /** Only the cards with these ids. */
  @Ids({ decimal: true, optional: true }) card_id?: string[];
  /** Only the cards with these URIs. */
  @Field(cardUris, { optional: true }, CARD_URIS) card_uris?: string[];
  /** Whether conversation and poll cards are included, each in its own form. */
  @Bool({ optional: true, default: false }) include_legacy_cards?: boolean;
  /** Only what has a name that begins like this, whatever the case. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

@Example({ card_uris: ['{card_uri}'] })
export class ListAllCards {
  /** The cards to show, of whatever kind; what nothing has for a URI is left out. */
  @Field(cardUris, {}, CARD_URIS) card_uris: string[];
  /** Whether deleted cards are included. */
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
  /** What the card is called; only the account sees it. */
  @Text({ visible: true, max: 80, example: 'Winter menu' }) name: string;
  /** What it consists of, in the order in which it is shown: one component with media, then one that leads somewhere. */
  @Field(nested(components), { nullable: true }, COMPONENTS) components?: Component[] | null;
  /** In place of components: the cards of a carousel that lead to different places, each MEDIA and then DETAILS. */
  @Field(nested(slides), { nullable: true }, SLIDES) slides?: Component[][] | null;
}

@Example({ name: 'Winter menu, second week' })
@Rule(['components', 'slides'], onlyOne)
@ApiExtraModels(...COMPONENT_VIEWS)
export class UpdateCard {
  /** What the card is called; only the account sees it. */
  @Text({ visible: true, optional: true, max: 80, example: 'Winter menu' }) name?: string;
  /** What it consists of from now on; replaces slides, too. */
  @Field(nested(components), { nullable: true }, COMPONENTS) components?: Component[] | null;
  /** The cards of a carousel that it is from now on; replace components, too. */
  @Field(nested(slides), { nullable: true }, SLIDES) slides?: Component[][] | null;
}
