/** How many line items a campaign has at most, deleted ones not counted. */
export const LINE_ITEMS_OF_CAMPAIGN = { kind: 'line items', limit: 100 };

/** How many of an account are active at most. */
export const ACTIVE_LINE_ITEMS = { kind: 'active line items', limit: 256 };
