import { didYouMean } from '../../common/http/hints/nearest.js';
import { serviceName } from '../../common/http/hints/synonyms.js';
import type { OperationTool } from './operation-tools.js';
import { checkArguments, InvalidArguments, type ToolArgument } from './tool-arguments.js';

/** Sets of tools, with the parts of the document that they have. */
const SETS = {
  campaigns: [
    'A/B tests',
    'Accounts',
    'Authentication',
    'Campaigns',
    'Curated categories',
    'Features',
    'Funding instruments',
    'Line item curated categories',
    'Line items',
    'Promotable users',
    'Promoted accounts',
    'Promoted posts',
    'Reference data',
    'Sandbox',
    'Scheduled promoted posts',
    'Settings',
    'Targeting criteria',
    'Targeting options',
  ],
  creatives: [
    'Account media',
    'Cards',
    'Draft posts',
    'Lead forms',
    'Media creatives',
    'Media library',
    'Media upload',
    'Posts',
    'Preroll call to actions',
    'Product catalogs',
    'Scheduled posts',
  ],
  audiences: ['Audience permissions', 'Audiences', 'Do-not-reach lists', 'Insights'],
  statistics: ['Statistics'],
  measurement: ['Account apps', 'App measurement', 'Measurement', 'Tracking tags'],
  workbench: ['Workbench'],
} as const;

export type ToolSet = keyof typeof SETS;
export const TOOL_SETS = Object.keys(SETS) as ToolSet[];

/** The operations that are tools by default: what it takes to set a campaign up and to see what it does. */
const BY_DEFAULT: ReadonlySet<string> = new Set([
  'listAccounts',
  'listFundingInstruments',
  'listCampaigns',
  'getCampaign',
  'createCampaign',
  'updateCampaign',
  'activateCampaign',
  'listLineItems',
  'getLineItem',
  'createLineItem',
  'updateLineItem',
  'activateLineItem',
  'listTargetingCriteria',
  'createTargetingCriteria',
  'listInterests',
  'listLocations',
  'estimateAudience',
  'listPromotableUsers',
  'listPosts',
  'createPost',
  'listPromotedPosts',
  'createPromotedPost',
  'getStatistics',
  'createAccount',
]);

/** The sets that a list with commas names; undefined for an unknown one. */
export function readSets(list: string): ToolSet[] | undefined {
  const named = list.split(',').map((each) => each.trim());
  return named.every((each): each is ToolSet => Object.hasOwn(SETS, each)) ? [...new Set(named)].sort() : undefined;
}

/** The tools that clients see: those of the sets, or those by default, and two that reach all others. */
export function listedTools(all: readonly OperationTool[], sets: readonly ToolSet[] = []): OperationTool[] {
  const tags = new Set<string>(sets.flatMap((set) => SETS[set]));
  const isListed = ({ name, tag }: OperationTool) => (sets.length > 0 ? tags.has(tag) : BY_DEFAULT.has(name));
  return [...all.filter(isListed), SEARCH, calling(all)];
}

const MAX_FOUND = 10;

/** Throws unless the arguments are those of a tool of the server's own. */
function checkOwn(args: Record<string, unknown>, { properties = {}, required = [] }: OperationTool['inputSchema']) {
  const known = Object.keys(properties).map((name): [string, ToolArgument] => [
    name,
    { place: 'json', required: required.includes(name) },
  ]);
  checkArguments(args, new Map(known), {});
}

const local = { openWorldHint: false as const, destructiveHint: false, idempotentHint: true, readOnlyHint: true };

/** Finds operations that are not listed. The server answers it itself. */
export const SEARCH: OperationTool = {
  name: 'search_operations',
  description: 'Finds operations of the API that are not listed as tools, with the arguments for call_operation.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words about the operation, such as "upload users of an audience".' },
      count: { type: 'integer', description: `The number of operations, at most ${MAX_FOUND}.`, default: 5 },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { operations: { type: 'array' } } },
  annotations: local,
  tag: '',
  requestOf: () => {
    throw new InvalidArguments('search_operations cannot be called by call_operation.');
  },
};

const CALLING: OperationTool['inputSchema'] = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the operation.' },
    arguments: { type: 'object', description: 'Its arguments.' },
  },
  required: ['name'],
  additionalProperties: false,
};

const calling = (all: readonly OperationTool[]): OperationTool => ({
  name: 'call_operation',
  description: 'Calls an operation of the API, as its tool does. search_operations has the names and arguments.',
  inputSchema: CALLING,
  outputSchema: { type: 'object', properties: { data: {} } },
  annotations: { ...local, readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  tag: '',
  requestOf: (given) => {
    checkOwn(given, CALLING);
    const { name, arguments: args = {} } = given;
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new InvalidArguments('arguments must be an object.');
    return toolNamed(all, name).requestOf(args as Record<string, unknown>);
  },
});

/** A tool. Throws InvalidArguments for an unknown one. */
export function toolNamed(tools: readonly OperationTool[], name: unknown): OperationTool {
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const names = tools.map((tool) => tool.name);
  const given = typeof name === 'string' ? name.slice(0, 64).toWellFormed() : 'with that name';
  throw new InvalidArguments(`There is no tool ${given}. ${didYouMean(name, names) ?? ''}`.trim());
}

/** The operations whose descriptions fit a query best. */
export function searchOperations(all: readonly OperationTool[], args: Record<string, unknown>): object {
  checkOwn(args, SEARCH.inputSchema);
  const { query, count = 5 } = args;
  if (typeof query !== 'string' || query.trim() === '') throw new InvalidArguments('query must be a text with words.');
  const limit = Number.isInteger(count) ? Math.min(Math.max(count as number, 1), MAX_FOUND) : MAX_FOUND;
  const wanted = [...new Set(wordsOf(query.slice(0, 200)))];
  const found = all
    .map((tool) => ({ tool, score: scoreOf(tool, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit);
  return {
    operations: found.map(({ tool: { name, description, inputSchema } }) => ({ name, description, inputSchema })),
  };
}

/** Words in the name count more than those in the description, and these more than names of arguments. */
function scoreOf({ name, description, inputSchema }: OperationTool, wanted: string[]): number {
  const places = [name.replace(/[A-Z]/g, ' $&'), description, Object.keys(inputSchema.properties ?? {}).join(' ')];
  const words = places.map((text) => new Set(wordsOf(text)));
  const scores = wanted.map((word) => [4, 2, 1].find((_, place) => words[place].has(word)) ?? 0);
  return scores.reduce((sum, score) => sum + score, 0);
}

/** The words of a text in the singular, with our names for those of X. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) =>
    serviceName(word)
      .replace(/(?:ies|y)$/, 'i')
      .replace(/s$/, ''),
  );
