/** The most active campaigns that an operator can allow an account (Part 3, 8). */
export const HIGHEST_CAMPAIGN_LIMIT = 8_000;
