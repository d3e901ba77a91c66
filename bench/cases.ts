import { RARE, USUAL } from './creatives.js';
import { UNIQUE, type Asked } from './load/task.js';
import type { World } from './world.js';

/** Something that clients do, as the requests that are sent in turn. */
export interface Case {
  name: string;
  requests: Asked[];
  /** What is done before each round. */
  before?: () => Promise<void>;
  /** No request can be sent twice in a round: there have to be more of them than the service answers. */
  once?: true;
}

const BATCH = 40;
/** Different requests of a case: enough that no single row or page is all that is read. */
const VARIETY = 500;

/** The id that the world gave its nth campaign. */
export const idOf = (n: number): string => n.toString(16).padStart(13, '0');

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** The four that are measured against the reference server; `campaigns`: how many the first account has. */
export function cases({ account, written }: World, campaigns: number): Case[] {
  const into = (n: number) => written[n % written.length];
  const parameters = (n: number) => ({
    funding_instrument_id: into(n).fundingId,
    name: `Bench ${n}`,
    entity_status: 'PAUSED',
    daily_budget_amount_local_micro: 5_500_000,
  });
  const query = (n: number) =>
    Object.entries(parameters(n))
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
  return [
    {
      name: 'GET one',
      requests: times(VARIETY, (n) => ({
        method: 'GET',
        target: `/12/accounts/${account.id}/campaigns/${idOf((n % campaigns) + 1)}`,
      })),
    },
    {
      name: 'list of 200',
      requests: [{ method: 'GET', target: `/12/accounts/${account.id}/campaigns?count=200` }],
    },
    {
      name: 'create',
      requests: times(VARIETY, (n) => ({
        method: 'POST',
        target: `/12/accounts/${into(n).id}/campaigns?${query(n)}`,
      })),
    },
    {
      name: 'batch of 40',
      requests: times(written.length, (n) => ({
        method: 'POST',
        target: `/12/batch/accounts/${into(n).id}/campaigns`,
        body: JSON.stringify(times(BATCH, () => ({ operation_type: 'Create', params: parameters(n) }))),
      })),
    },
  ];
}

/** The same of creatives. What is listed is read before `post create` adds to it. */
export function creativeCases({ account, author, written }: World): Case[] {
  const search = (name: string, q: string): Case => ({
    name: `library search, ${name}`,
    requests: [{ method: 'GET', target: `/12/accounts/${account.id}/media_library?q=${q}&count=50` }],
  });
  return [
    search('1 %', USUAL),
    search('rare', RARE),
    {
      name: 'posts list of 200',
      requests: [
        {
          method: 'GET',
          target: `/12/accounts/${account.id}/posts?post_type=PUBLISHED&timeline_type=ALL&count=200`,
        },
      ],
    },
    {
      name: 'post create',
      requests: written.map(({ id }) => ({
        method: 'POST',
        target: `/12/accounts/${id}/post?as_user_id=${author}&text=Bench%20${UNIQUE}%20of%20the%20season%20%23coffee&trim_user=true`,
      })),
    },
  ];
}

/** Where the deep page begins: nine tenths of the way. */
export const DEPTH = 0.9;
/** Sets of ids to filter by, spread over all campaigns. */
const SETS = 50;

/** Lists whose cost must not grow with the account. `walk` answers the cursor after so many campaigns. */
export function listCases(accountId: string, campaigns: number, deepCursor: string): Case[] {
  const list = (name: string, ...queries: string[]): Case => ({
    name,
    requests: queries.map((query) => ({
      method: 'GET',
      target: `/12/accounts/${accountId}/campaigns?count=200&${query}`,
    })),
  });
  const spread = (set: number) => times(200, (n) => idOf(((n * 7919 + set * 104_729) % campaigns) + 1)).join(',');
  return [
    list('first page', ''),
    list('deep page', `cursor=${deepCursor}`),
    list('q, 20 of all', 'q=needle'),
    list('q, half of all', 'q=broad'),
    list('200 campaign_ids', ...times(SETS, (set) => `campaign_ids=${encodeURIComponent(spread(set))}`)),
  ];
}
