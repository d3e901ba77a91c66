/** The groups of operations of this domain, in the order of the OpenAPI document. */
export const CAMPAIGNS_TAGS: Record<string, string> = {
  'Funding instruments': 'How campaigns are paid.',
  Campaigns: 'A budget and a schedule for line items.',
  'Line items': 'The bids, placements and audiences within a campaign.',
  'Promoted posts': 'The posts that line items show.',
  'Promoted accounts': 'The users that line items promote.',
  'Media creatives': 'The images and in-stream videos that line items show.',
  'Scheduled promoted posts': 'The scheduled posts that line items promote once they are live.',
  'Preroll call to actions': 'The buttons next to in-stream videos.',
  'Line item curated categories': 'The publishers in whose videos a line item shows its in-stream videos.',
  'Reference data': 'Categories, placements, bidding rules and publishers. Every account sees the same data.',
  'Curated categories': 'Lists of publishers that line items can target as a group.',
  'Targeting criteria': 'Who sees a line item, and next to which content.',
  'Targeting options': 'The values for targeting criteria: locations, interests, devices and more.',
};
