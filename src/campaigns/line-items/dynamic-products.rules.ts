import { invalid, missing, notFoundById } from '../../common/errors/catalogue.js';
import { condition, goalOf, lasting, notOf, type Condition, type Terms } from './line-item.terms.js';

const SOURCE = 'DYNAMIC_PRODUCT_CREATIVE';
/** What a line item with dynamic products buys; X has no other choice. */
const OBJECTIVE = 'WEBSITE_CLICKS';
const GOAL = 'WEBSITE_CONVERSIONS';

const isDynamic = ({ creative_source: source }: Pick<Terms, 'creative_source'>): boolean => source === SOURCE;

/** A catalog or a set stands where the creative source needs it, and nowhere else. */
const goesWithSource = (name: 'catalog_id' | 'product_set_id') => [
  // an import may have left it out of a stored line item
  condition(['creative_source', name], (terms) =>
    isDynamic(terms) && !terms[name] ? missing(name, `the creative source ${SOURCE} requires it`) : undefined,
  ),
  lasting(['creative_source', name], (terms) =>
    !isDynamic(terms) && terms[name]
      ? invalid(name, `${name} can only be set when creative_source is ${SOURCE}`, { value: terms[name] })
      : undefined,
  ),
];

/**
 * The conditions of a line item that advertises the products of a set. Catalogs belong to users: a request names those of
 * its user only, and gets the same error for unknown ones and for those of others.
 */
export const DYNAMIC_PRODUCT_CONDITIONS: readonly Condition[] = [
  lasting(['creative_source', 'objective'], (terms) =>
    isDynamic(terms) && terms.objective !== OBJECTIVE
      ? notOf('objective', terms.objective, [OBJECTIVE], `with the creative source ${SOURCE}`)
      : undefined,
  ),
  lasting(['creative_source', 'objective', 'goal'], (terms) => {
    if (!isDynamic(terms) || terms.objective !== OBJECTIVE || goalOf(terms) === GOAL) return undefined;
    return terms.goal
      ? notOf('goal', terms.goal, [GOAL], `with the creative source ${SOURCE}`)
      : missing('goal', `the creative source ${SOURCE} requires ${GOAL}`);
  }),
  lasting(['creative_source', 'product_type'], (terms) =>
    isDynamic(terms) && terms.product_type !== 'PROMOTED_POSTS'
      ? notOf('product_type', terms.product_type, ['PROMOTED_POSTS'], `with the creative source ${SOURCE}`)
      : undefined,
  ),
  ...goesWithSource('catalog_id'),
  ...goesWithSource('product_set_id'),
  condition(['creative_source', 'catalog_id'], (terms, { products }) =>
    isDynamic(terms) && terms.catalog_id && terms.catalog_id !== products.catalogId
      ? notFoundById('Product catalog', 'catalog_id', terms.catalog_id)
      : undefined,
  ),
  condition(['creative_source', 'catalog_id', 'product_set_id'], (terms, { products, stored }) => {
    const { catalog_id: catalog, product_set_id: set } = terms;
    if (!isDynamic(terms) || !catalog || !set) return undefined;
    const isOwn = catalog === products.catalogId;
    // a new catalog is an error by itself; one that the line item has may be that of another user
    if (!isOwn && catalog !== stored?.terms.catalog_id) return undefined;
    return isOwn && products.setIds.has(set) ? undefined : notFoundById('Product set', 'product_set_id', set);
  }),
];
