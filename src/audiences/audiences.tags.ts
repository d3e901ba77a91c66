/** The groups of operations of this domain, in the order in which the document shows them. */
export const AUDIENCES_TAGS: Record<string, string> = {
  Audiences: 'The people that campaigns can be shown to, or kept from.',
  Insights: 'What is posted about keywords, and how much of it.',
};
