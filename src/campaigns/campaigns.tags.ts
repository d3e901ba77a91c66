/** The groups of operations of this domain, in the order of the OpenAPI document. */
export const CAMPAIGNS_TAGS: Record<string, string> = {
  'Funding instruments': 'What campaigns are paid with.',
  Campaigns: 'A budget and its schedule; line items belong to one.',
  'Line items': 'What is bought within a campaign, for whom and at what price.',
  'Promoted posts': 'The posts that line items show.',
  'Promoted accounts': 'The users whom line items recommend to follow.',
  'Media creatives': 'The images and in-stream videos that line items show.',
  'Scheduled promoted posts': 'What line items are to show once it is live.',
  'Preroll call to actions': 'The buttons beside in-stream videos.',
  'Line item curated categories': 'In the videos of which publishers in-stream videos are shown.',
  'Reference data':
    'What the rest is said in: categories, placements, bids and publishers. It is the same for every account.',
  'Curated categories': 'Lists of publishers that line items can target as one.',
  'Targeting criteria': 'Whom line items are shown to, and beside what.',
  'Targeting options': 'What line items can be targeted by: places, interests, devices and more, by their values.',
};
