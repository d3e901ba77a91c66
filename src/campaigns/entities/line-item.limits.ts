/** Maximum number of line items per campaign, not counting deleted ones. */
export const LINE_ITEMS_OF_CAMPAIGN = { kind: 'line items', limit: 100 };

/** Maximum number of active line items per account. */
export const ACTIVE_LINE_ITEMS = { kind: 'active line items', limit: 256 };
