/** Limit of active campaigns per account: 200, unless an operator raises it, at most to 8,000. */
export const ACTIVE_CAMPAIGNS = { kind: 'active campaigns', limit: 200, highestLimit: 8_000 };
