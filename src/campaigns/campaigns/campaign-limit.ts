/** How many campaigns of an account can be active: 200, unless an operator allows more, at most 8,000. */
export const ACTIVE_CAMPAIGNS = { kind: 'active campaigns', limit: 200, highestLimit: 8_000 };
