/** The operation groups of this domain, in the order of the OpenAPI document. */
export const WEBHOOKS_TAGS: Record<string, string> = {
  Webhooks: 'URLs of an application that are told of what happens in ad accounts. Taken with its bearer token.',
};
