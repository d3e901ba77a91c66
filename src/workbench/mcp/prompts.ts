import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import type { Vocabulary } from '../../names/vocabulary.js';
import { InvalidArguments, checkArguments } from './tool-arguments.js';

/** The names of tools that prompts mention. */
const TOOLS = {
  marquee: {
    accounts: 'listAccounts',
    funding: 'listFundingInstruments',
    campaign: 'getCampaign',
    createCampaign: 'createCampaign',
    activateCampaign: 'activateCampaign',
    items: 'listLineItems',
    createItem: 'createLineItem',
    activateItem: 'activateLineItem',
    interests: 'listInterests',
    locations: 'listLocations',
    target: 'createTargetingCriteria',
    posts: 'listPosts',
    promote: 'createPromotedPost',
    promoted: 'listPromotedPosts',
    statistics: 'getStatistics',
  },
  x: {
    accounts: 'list_ads_accounts',
    funding: 'list_funding_instruments',
    campaign: 'get_campaign',
    createCampaign: 'create_campaign',
    activateCampaign: 'activate_campaign',
    items: 'list_line_items',
    createItem: 'create_line_item',
    activateItem: 'activate_line_item',
    interests: 'search_targeting_interests',
    locations: 'search_targeting_locations',
    target: 'add_targeting_criterion',
    posts: 'list_account_posts',
    promote: 'promote_post',
    promoted: 'list_promoted_posts',
    statistics: 'get_account_stats',
  },
} as const;

type Tools = Record<keyof (typeof TOOLS)['marquee'], string>;
type Values = Record<string, string>;

interface DescribedPrompt extends Prompt {
  text: (values: Values, tools: Tools) => string;
}

const ACCOUNT = { name: 'account_id', description: 'The ad account.', required: true };
const CAMPAIGN = { name: 'campaign_id', description: 'The campaign.', required: true };

const PROMPTS: readonly DescribedPrompt[] = [
  {
    name: 'set_up_campaign',
    description: 'Sets a campaign up, with a line item, targeting and a promoted post',
    arguments: [
      { name: 'goal', description: 'What to promote, to whom, for how long.', required: true },
      { name: 'daily_budget', description: 'The budget for one day, in the currency of the account.', required: true },
    ],
    text: ({ goal, daily_budget: budget }, tools) =>
      `Set up a campaign for this goal: ${goal}. It may spend ${budget} a day.\n` +
      `1. Find the account (${tools.accounts}) and a funding instrument that can pay (${tools.funding}).\n` +
      `2. Create the campaign (${tools.createCampaign}) and a line item in it (${tools.createItem}), both paused.\n` +
      `3. Find interests and locations (${tools.interests}, ${tools.locations}) and target them (${tools.target}).\n` +
      `4. Promote a fitting post (${tools.posts}, ${tools.promote}).\n` +
      `5. Show me what you created. Only when I agree, activate the line item (${tools.activateItem}) and the campaign (${tools.activateCampaign}).`,
  },
  {
    name: 'explain_not_serving',
    description: 'Finds out why nothing of a campaign serves',
    arguments: [ACCOUNT, CAMPAIGN],
    text: ({ account_id: account, campaign_id: campaign }, tools) =>
      `Find out why nothing of campaign ${campaign} in account ${account} serves.\n` +
      `Read the campaign (${tools.campaign}) and its line items (${tools.items}): servable, effective_status and reasons_not_servable say what ` +
      `is missing. Then look at the funding instrument (${tools.funding}) and at the promoted posts (${tools.promoted}): whether they are ` +
      'approved, active, and within their times.\nName each reason, what mends it, and the tool that does. Change nothing.',
  },
  {
    name: 'read_week',
    description: "Reads a week's results of a campaign",
    arguments: [ACCOUNT, CAMPAIGN, { name: 'first_day', description: 'The first day, as 2026-11-20.', required: true }],
    text: ({ account_id: account, campaign_id: campaign, first_day: day }, tools) =>
      `Read the results of campaign ${campaign} in account ${account} for the seven days from ${day}.\n` +
      `Use ${tools.statistics} with entity=CAMPAIGN, granularity=DAY and the metric groups ENGAGEMENT and BILLING; days begin at midnight in the ` +
      `time zone of the account. Do the same for its line items (${tools.items}) with entity=LINE_ITEM.\n` +
      'Show impressions, engagements and spend for each day and in total, the cost of an engagement, and which line item did best. Amounts are ' +
      'in micro-units. null means that nothing was counted.',
  },
];

/** The prompts as clients see them. */
export const listedPrompts = (): Prompt[] => PROMPTS.map(({ text: _, ...described }) => described);

/** A prompt with its arguments filled in. Throws InvalidArguments. */
export function promptNamed(name: string, values: Values, names: Vocabulary): GetPromptResult {
  const prompt = PROMPTS.find((each) => each.name === name);
  if (!prompt) throw new InvalidArguments(`There is no prompt ${name.slice(0, 64).toWellFormed()}.`);
  const known = new Map(
    (prompt.arguments ?? []).map((each) => [each.name, { place: 'parameter', required: true } as const]),
  );
  checkArguments(values, known, {});
  const text = prompt.text(values, TOOLS[names]);
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
