import { Example } from '../../common/http/params/dto-metadata.js';
import { Field, Ids, OneOf, Text, withCheck, type FieldRules } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PRODUCT_CREATIVE_TYPES, type ProductCreativeType } from '../card-content/card-content.js';
import { Card } from '../entities/card.entity.js';
import { httpUrl, MAX_URL_LENGTH } from '../web-url.js';

const HOSTS = ['twitter.com', 'x.com'];

const isOfPlatform = (given: string): boolean => {
  if (!URL.canParse(given)) return false;
  const { protocol, host, username, password } = new URL(given);
  return protocol === 'https:' && HOSTS.includes(host) && username === '' && password === '';
};

const platformUrl = withCheck(
  httpUrl({ max: MAX_URL_LENGTH, trimmed: true }),
  'a URL that begins with https://twitter.com or https://x.com',
  isOfPlatform,
);

/** X requires its own address: each product leads to its own page, with the parameters of this URL. */
const PlatformUrl = (rules: FieldRules = {}) =>
  Field(
    platformUrl,
    { ...rules, example: 'https://twitter.com?utm_source=x' },
    { type: String, maxLength: MAX_URL_LENGTH },
  );

export class ListDynamicProductCards extends ListQuery(Card) {
  /** Ids of the cards to return. */
  @Ids({ decimal: true, optional: true }) card_ids?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

@Example({ url: 'https://twitter.com?utm_source=x', creative_type: 'CAROUSEL' })
export class CreateDynamicProductCard {
  /** A URL that begins with `https://twitter.com` or `https://x.com`, whose query is that of the links of all products. */
  @PlatformUrl() url: string;
  /** How the card shows products: several in a row, one, or one above others. */
  @OneOf(PRODUCT_CREATIVE_TYPES, { optional: true, default: 'CAROUSEL' }) creative_type?: ProductCreativeType;
  /** The card's name, visible only to the account. */
  @Text({ visible: true, optional: true, max: 80, example: 'Autumn products' }) name?: string;
}

@Example({ creative_type: 'SINGLE' })
export class UpdateDynamicProductCard {
  /** The new URL. */
  @PlatformUrl({ optional: true }) url?: string;
  /** How the card shows products. */
  @OneOf(PRODUCT_CREATIVE_TYPES, { optional: true }) creative_type?: ProductCreativeType;
  /** The card's name, visible only to the account. */
  @Text({ visible: true, optional: true, max: 80, example: 'Autumn products' }) name?: string;
}
