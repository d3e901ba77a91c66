import { closedSet } from '../../common/values/closed-set.js';

/** The events in apps. */
export const APP_CONVERSION_TYPES = closedSet('AppConversionType', [
  'ACHIEVEMENT_UNLOCKED',
  'ADDED_PAYMENT_INFO',
  'ADD_TO_CART',
  'ADD_TO_WISHLIST',
  'CHECKOUT_INITIATED',
  'CONTENT_VIEW',
  'INSTALL',
  'INVITE',
  'LEVEL_ACHIEVED',
  'LOGIN',
  'PURCHASE',
  'RATED',
  'RESERVATION',
  'RE_ENGAGE',
  'SEARCH',
  'SHARE',
  'SIGN_UP',
  'SPENT_CREDITS',
  'TUTORIAL_COMPLETE',
  'UPDATE',
]);
export type AppConversionType = (typeof APP_CONVERSION_TYPES)[number];
