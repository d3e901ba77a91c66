/** The operation groups of this domain, in the order of the OpenAPI document. */
export const WEBHOOKS_TAGS: Record<string, string> = {
  Webhooks:
    'URLs of an application that receive events of ad accounts. The endpoints require the bearer token of the application.',
};
