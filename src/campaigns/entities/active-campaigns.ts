// A file of its own: the command line reads it, and the entity would load the validation of parameters, which takes `--help` longer.
/** Limit of active campaigns per account: 200, unless an operator raises it, at most to 8,000. */
export const ACTIVE_CAMPAIGNS = { kind: 'active campaigns', limit: 200, highestLimit: 8_000 };
