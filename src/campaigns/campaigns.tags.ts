/** The groups of operations of this domain, in the order in which the document shows them. */
export const CAMPAIGNS_TAGS: Record<string, string> = {
  'Funding instruments': 'What campaigns are paid with.',
  Campaigns: 'A budget and its schedule; line items belong to one.',
};
