/**
 * The id of the pixel of an account, its base tag: the id of the account from its last character to its first. Both sides
 * know it without a table, and an account has its pixel before two requests can create one.
 */
export const pixelIdOf = (accountId: string): string => [...accountId].reverse().join('');

/** The account that would have this pixel. */
export const accountOfPixel = pixelIdOf;
