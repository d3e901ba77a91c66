const SCHEME = 'card://';

/** What the URI of a card looks like. */
export const CARD_URI = { pattern: /^card:\/\/[0-9]+$/, what: 'a card URI such as card://1234567890123456' };

/** The URI of the card with this id. */
export const cardUriOf = (cardId: string): string => `${SCHEME}${cardId}`;

/** The id of the card with this URI. */
export const cardIdOf = (cardUri: string): string => cardUri.slice(SCHEME.length);
