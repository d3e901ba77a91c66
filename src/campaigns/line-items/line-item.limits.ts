/** How many line items a campaign has at most, deleted ones not counted (Part 3, 8). */
export const LINE_ITEMS_OF_CAMPAIGN = { kind: 'line items', limit: 100 };

/** How many of an account are active at most (Part 3, 8; decisions, "Active"). */
export const ACTIVE_LINE_ITEMS = { kind: 'active line items', limit: 256 };
