/** The operation groups of this domain, in the order of the OpenAPI document. */
export const AUDIENCES_TAGS: Record<string, string> = {
  Audiences: 'The people whom campaigns can target or exclude.',
  'Audience permissions': 'The permissions of other accounts on an audience.',
  'Do-not-reach lists': 'The people whom no campaign of an account reaches.',
  Insights: 'The volume of posts about keywords, and related keywords.',
};
