const SCHEME = 'card://';

/** Format of a card URI. */
export const CARD_URI = { pattern: /^card:\/\/[0-9]+$/, what: 'a card URI such as card://1234567890123456' };

/** Returns the URI of the card with this id. */
export const cardUriOf = (cardId: string): string => `${SCHEME}${cardId}`;

/** Returns the id of the card with this URI. */
export const cardIdOf = (cardUri: string): string => cardUri.slice(SCHEME.length);
