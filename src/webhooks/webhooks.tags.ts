/** The groups of operations of this domain, in the order in which the document shows them. */
export const WEBHOOKS_TAGS: Record<string, string> = {
  Webhooks: 'URLs of an application that are told of what happens in ad accounts. Taken with its bearer token.',
};
