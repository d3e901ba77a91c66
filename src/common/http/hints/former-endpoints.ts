import { RETIRED_CARDS } from '../../errors/placeholder.js';

/** The replacement of an endpoint of older versions of X's APIs, or of its other APIs. */
export interface Replacement {
  method: string;
  /** With the values of the request as parameters, as far as it has them. */
  path: string;
  /** How to use it, as the end of a sentence. */
  how?: string;
}

interface Former {
  methods?: readonly string[];
  /** Of the path without its version and the prefix of the sandbox, in lower case. */
  path: RegExp;
  now: (values: string[], method: string) => Replacement | undefined;
}

const OWN = '/12/accounts/:account_id';
const STATISTICS_OF =
  /^stats\/accounts\/([^/]+)\/(accounts|campaigns|funding_instruments|line_items|media_creatives|organic_(?:tweets|posts)|promoted_(?:accounts|tweets|posts))(?:\/([^/]+))?$/;

const create = { method: 'POST', path: `${OWN}/post` };
const list = (account: string, ids?: string): Replacement => ({
  method: 'GET',
  path: `/12/accounts/${account}/posts${ids ? `?post_type=PUBLISHED&post_ids=${ids}` : ''}`,
});

const FORMER: readonly Former[] = [
  {
    path: /^accounts\/([^/]+)\/cards\/(\w+)(?:\/([^/]+))?$/,
    now: ([account, kind, card], method) =>
      RETIRED_CARDS.has(kind)
        ? {
            method,
            path: `/12/accounts/${account}/cards${card ? `/${card}` : ''}`,
            how: 'cards of all kinds are made of components',
          }
        : undefined,
  },
  { methods: ['POST'], path: /^(?:2\/tweets|1\.1\/statuses\/update(?:_with_media)?)$/, now: () => create },
  {
    methods: ['POST'],
    path: /^accounts\/([^/]+)\/(?:tweets|posts)$/,
    now: ([account]) => ({ method: 'POST', path: `/12/accounts/${account}/post` }),
  },
  {
    methods: ['GET'],
    path: /^(?:2\/tweets|1\.1\/statuses\/\w+)(?:\/([^/]+))?$/,
    now: ([ids]) => list(':account_id', ids),
  },
  { methods: ['GET'], path: /^accounts\/([^/]+)\/(?:tweets|posts)\/(\d+)$/, now: ([account, id]) => list(account, id) },
  {
    methods: ['GET'],
    path: /^accounts\/([^/]+)\/(?:tweet|post)\/preview\/(\d+)$/,
    now: ([account, id]) => ({
      method: 'GET',
      path: `/12/accounts/${account}/post_previews?post_type=PUBLISHED&post_ids=${id}`,
    }),
  },
  {
    methods: ['GET'],
    path: /^accounts\/([^/]+)\/campaigns\/([^/]+)\/line_items$/,
    now: ([account, campaign]) => ({
      method: 'GET',
      path: `/12/accounts/${account}/line_items?campaign_ids=${campaign}`,
    }),
  },
  {
    methods: ['PUT'],
    path: /^accounts\/([^/]+)\/line_item_apps(?:\/([0-9a-z]+)[ai])?$/,
    now: ([account, item = ':line_item_id']) => ({
      method: 'PUT',
      path: `/12/accounts/${account}/line_items/${item}`,
      how: 'ios_app_store_identifier and android_app_store_identifier are the apps of a line item, and an empty value removes one',
    }),
  },
  {
    methods: ['POST'],
    path: /^accounts\/([^/]+)\/(?:batch\/(campaigns|line_items|targeting_criteria)|(campaigns|line_items|targeting_criteria)\/batch)$/,
    now: ([account, first, last]) => ({ method: 'POST', path: `/12/batch/accounts/${account}/${first ?? last}` }),
  },
  {
    path: /^(?:accounts\/[^/]+|1\.1\/account_activity\/.+)\/webhooks$/,
    now: (_values, method) => ({ method, path: '/2/webhooks' }),
  },
  { methods: ['POST'], path: /^media\/upload$/, now: () => ({ method: 'POST', path: '/1.1/media/upload.json' }) },
  { path: /^accounts\/([^/]+)\/scoped_timeline$/, now: ([account]) => list(account) },
  {
    path: /^(?:1\.1\/account\/verify_credentials|1\.1\/users\/show|2\/users\/me)$/,
    now: () => ({
      method: 'GET',
      path: '/12/accounts',
      how: 'it returns the accounts of the user. authenticated_user_access of an account has the id of the user',
    }),
  },
  {
    path: STATISTICS_OF,
    now: ([account, kind, ids = ':entity_ids']) => {
      const entity = kind.slice(0, -1).replace('tweet', 'post').toUpperCase();
      return { method: 'GET', path: `/12/stats/accounts/${account}?entity=${entity}&entity_ids=${ids}` };
    },
  },
  {
    methods: ['GET'],
    path: /^stats\/jobs\/accounts\/([^/]+)\/([^/]+)$/,
    now: ([account, job]) => ({ method: 'GET', path: `/12/stats/jobs/accounts/${account}?job_ids=${job}` }),
  },
  {
    path: /^accounts\/([^/]+)\/(?:reach_estimate|audience_summary)$/,
    now: ([account]) => ({ method: 'POST', path: `/12/accounts/${account}/audience_estimate` }),
  },
  {
    path: /^accounts\/([^/]+)\/videos(?:\/([^/]+))?$/,
    now: ([account, key], method) => ({
      method,
      path: `/12/accounts/${account}/media_library${key ? `/${key}` : ''}`,
      how: 'it takes the media_key of an upload',
    }),
  },
];

const MAX_PATH_LENGTH = 1_024;
const VERSION = /^v?\d{1,3}(\.\d{1,2})?\/(?=(?:accounts|stats)\/)/;

/** The replacement of a former endpoint; undefined for other paths. */
export function replacementOf(method: string, path: string): Replacement | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined;
  const asked = path
    .toLowerCase()
    .replace(/^\/+(sandbox\/)?/, '')
    .replace(VERSION, '')
    .replace(/(\.json)?\/?$/, '');
  for (const { methods, path: pattern, now } of FORMER) {
    const found = methods && !methods.includes(method) ? null : pattern.exec(asked);
    const replacement = found && now(found.slice(1), method);
    if (replacement) return replacement;
  }
  return undefined;
}
