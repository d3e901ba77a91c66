/** The groups of operations of this domain, in the order of the OpenAPI document. */
export const STATISTICS_TAGS: Record<string, string> = {
  Statistics: 'What line items delivered, and what it cost.',
};
