/** The operation groups of this domain, in the order of the OpenAPI document. */
export const AUDIENCES_TAGS: Record<string, string> = {
  Audiences: 'The people that campaigns can be shown to, or kept from.',
  'Audience permissions': 'What other accounts may do with an audience.',
  'Do-not-reach lists': 'The people that no campaign of an account is shown to.',
  Insights: 'What is posted about keywords, and how much of it.',
};
