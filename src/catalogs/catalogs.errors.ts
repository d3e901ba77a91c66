import { invalid, notFoundById } from '../common/errors/catalogue.js';
import { defineErrors } from '../common/errors/error-codes.js';

const error = defineErrors({ PRODUCT_CATALOG_EXISTS: 400, SCHEDULED_FEED_EXISTS: 400, TOO_MANY_PRODUCT_SETS: 400 });

/** Unknown catalogs and those of other users get the same error. */
export const catalogNotFound = (id: string) => notFoundById('Product catalog', 'product_catalog_id', id);

/** Nobody reads or writes the catalogs of others, whoever they are. */
export const catalogUserNotFound = (id: string) =>
  notFoundById('User', 'user_id', id).hinted(
    'user_id is the authenticated user. Leave it out, or send the id of that user.',
  );

export const catalogExists = (id: string) =>
  error('PRODUCT_CATALOG_EXISTS', `The user already has the product catalog ${id}`, {
    details: 'a user has at most one: change or delete it',
  });

export const setNotFound = (id: string) => notFoundById('Product set', 'product_set_id', id);

/** The products of a filtered set are those that match. */
export const setIsFiltered = (id: string) =>
  invalid('product_set_id', `Expected a set of type MANUAL, got ${id} of type FILTERED for product_set_id`, {
    value: id,
    details: 'a set of type FILTERED does not change: create another one',
  });

export const tooManySets = (limit: number) =>
  error('TOO_MANY_PRODUCT_SETS', `A product catalog can have at most ${limit} product sets`, {
    details: 'delete one of them first',
  });

export const feedNotFound = (id: string) => notFoundById('Scheduled feed', 'scheduled_feed_id', id);

export const feedExists = (id: string) =>
  error('SCHEDULED_FEED_EXISTS', `The user already has the scheduled feed ${id}`, {
    details: 'a user has at most one: change or delete it',
  });
