import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { DECIMAL, Field, jsonArray, OneOf, Text, text } from '../../common/http/params/fields.js';
import { nested, part, partList } from '../../common/http/params/parts.js';
import {
  FILTER_ATTRIBUTES,
  FILTER_OPERATORS,
  SET_TYPES,
  type FilterAttribute,
  type FilterOperator,
  type SetType,
} from '../entities/product-set.entity.js';
import { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { isNumber, numberOf, operatorsOf } from './product-set.rules.js';

const MAX_KEYS = 50;
const FILTERS = { min: 1, max: 30 };
const NAME = { max: 255, visible: true } as const;
const DESCRIPTION = { nullable: true, max: 1_024 } as const;

const ProductKeys = (rules: { optional?: boolean }) =>
  Field(jsonArray(text({ min: 1, max: 64, matching: DECIMAL }), { min: 1, max: MAX_KEYS }), rules, {
    type: 'array',
    items: { type: 'string', pattern: DECIMAL.pattern.source },
    minItems: 1,
    maxItems: MAX_KEYS,
  });

type At = (name: string) => string;

const takesOperator = ({ attribute, operator }: Pick<SentFilter, 'attribute' | 'operator'>, at: At) =>
  operatorsOf(attribute).includes(operator)
    ? undefined
    : invalid(
        at('operator'),
        `Expected a value in ${operatorsOf(attribute).join(', ')} for the operator of ${attribute}`,
        {
          value: operator,
        },
      );

const takesValue = ({ attribute, value }: Pick<SentFilter, 'attribute' | 'value'>, at: At) =>
  isNumber(attribute) && numberOf(attribute, value) === undefined
    ? invalid(
        at('value'),
        `Expected a number such as ${attribute === 'inventory' ? '5' : '60.00'} for the value of ${attribute}`,
        {
          value,
        },
      )
    : undefined;

/** A condition on the products of a set. */
@Rule(['attribute', 'operator'], takesOperator)
@Rule(['attribute', 'value'], takesValue)
export class SentFilter {
  /** What is compared. */
  @OneOf(FILTER_ATTRIBUTES) attribute: FilterAttribute;
  /** Numbers: GREATER_THAN, EQUAL_TO or LESS_THAN. Texts: EQUAL_TO, MATCH, CONTAINS or NOT_CONTAINS, in any case. */
  @OneOf(FILTER_OPERATORS) operator: FilterOperator;
  /** A text, or a number; prices in units of their currency. */
  @Text({ max: 750, orNumber: 'decimal', trimmed: true }) value: string;
}

type Content = Pick<CreateProductSet, 'type' | 'product_keys' | 'filters'>;

const fits = ({ type, product_keys, filters }: Content) => {
  const [needed, other] =
    type === 'MANUAL' ? (['product_keys', 'filters'] as const) : (['filters', 'product_keys'] as const);
  const sent = { product_keys, filters };
  return [
    ...(sent[needed] === undefined ? [missing(needed, `a set of type ${type} needs it`)] : []),
    ...(sent[other] === undefined ? [] : [invalid(other, `setting ${other} is not allowed for a set of type ${type}`)]),
  ];
};

@ApiExtraModels(SentFilter)
@Example({ name: 'Gifts for coffee drinkers', type: 'MANUAL', product_keys: ['{product_key}'] })
@Rule(['type', 'product_keys', 'filters'], fits)
export class CreateProductSet extends CatalogUser {
  /** The name. */
  @Text(NAME) name: string;
  /** The description. */
  @Text(DESCRIPTION) description?: string | null;
  /** MANUAL for products by their keys, FILTERED for those that match all filters. */
  @OneOf(SET_TYPES) type: SetType;
  /** The products of a MANUAL set. */
  @ProductKeys({ optional: true }) product_keys?: string[];
  /** The conditions of a FILTERED set. */
  @Field(
    nested(partList(part(SentFilter), FILTERS)),
    { optional: true },
    { type: 'array', items: { $ref: getSchemaPath(SentFilter) }, minItems: FILTERS.min, maxItems: FILTERS.max },
  )
  filters?: SentFilter[];
}

@Example({ name: 'Gifts', description: 'For the holidays' })
export class UpdateProductSet extends CatalogUser {
  /** The name. */
  @Text({ ...NAME, optional: true }) name?: string;
  /** The description. Null removes it. */
  @Text(DESCRIPTION) description?: string | null;
  /** The products, which replace those of the set. */
  @ProductKeys({ optional: true }) product_keys?: string[];
}
