import type { Item } from '../inside/inside-api.js';
import type { Kind } from './kinds.js';

/** Why something does not serve, and what mends it: a command, or words. */
export interface Remedy {
  text: string;
  mend: string;
}

interface Situation {
  item: Item;
  kind: Kind;
  /** A command that sends a request to a path below the account. */
  send: (method: string, path: string, ...params: string[]) => string;
  /** The command that updates the item. */
  put: (...params: string[]) => string;
  accountId: string;
}

type Explain = (situation: Situation) => Remedy;

/** The endpoint that adds a creative to a line item, by the product that it is for. */
const CREATIVES: Readonly<Record<string, [path: string, what: string]>> = {
  PROMOTED_ACCOUNT: ['promoted_accounts', 'user_id=:user_id'],
  MEDIA: ['media_creatives', 'account_media_id=:account_media_id'],
};

const isCampaign = ({ kind }: Situation): boolean => kind.path === 'campaigns';
const A_LATER_END = 'end_time=2036-01-01T00:00:00Z';

/** Reasons of the API, each as a sentence and a remedy. */
const EXPLANATIONS: Readonly<Record<string, Explain>> = {
  PAUSED_BY_ADVERTISER: (situation) => {
    const { item, kind, put, send } = situation;
    if (item.entity_status !== 'ACTIVE')
      return { text: `The ${kind.one} is ${String(item.entity_status)}.`, mend: put('entity_status=ACTIVE') };
    return isCampaign(situation)
      ? { text: 'Its line items are paused.', mend: send('PUT', 'line_items/:line_item_id', 'entity_status=ACTIVE') }
      : {
          text: 'Its campaign is paused.',
          mend: send('PUT', `campaigns/${String(item.campaign_id)}`, 'entity_status=ACTIVE'),
        };
  },
  INCOMPLETE: (situation) => {
    const { item, send } = situation;
    const [path, what] = CREATIVES[String(item.product_type)] ?? ['promoted_posts', 'post_ids=:post_id'];
    return isCampaign(situation)
      ? {
          text: 'It has no line item with a creative.',
          mend: send('POST', path, 'line_item_id=:line_item_id', what),
        }
      : { text: 'It has no creative.', mend: send('POST', path, `line_item_id=${String(item.id)}`, what) };
  },
  ACCOUNT_UNDER_REVIEW: () => ({
    text: 'The account is under review.',
    mend: 'An operator of the service accepts the account.',
  }),
  ACCOUNT_REJECTED: () => ({
    text: 'The account is rejected.',
    mend: 'An operator of the service decides on the account.',
  }),
  STARTS_IN_FUTURE: (situation) => ({
    text: isCampaign(situation) ? 'Its line items start later.' : `It starts at ${String(situation.item.start_time)}.`,
    mend: 'A test clock makes the time pass. An update of start_time starts it earlier.',
  }),
  BUDGET_EXHAUSTED: ({ item, kind, put, send }) =>
    kind.path === 'funding_instruments'
      ? { text: 'It has no money left.', mend: send('POST', 'funding_instruments', 'type=CREDIT_CARD', 'currency=USD') }
      : {
          text: 'The total budget is spent.',
          mend:
            item.total_budget_amount_local_micro === null
              ? send('PUT', `campaigns/${String(item.campaign_id)}`, 'total_budget_amount_local_micro=')
              : put(`total_budget_amount_local_micro=${2 * Number(item.total_budget_amount_local_micro)}`),
        },
  FUNDING_PROBLEM: ({ item, send }) => ({
    text: 'Its funding instrument cannot pay.',
    mend: send('GET', `funding_instruments/${String(item.funding_instrument_id)}`),
  }),
  EXPIRED: (situation) =>
    isCampaign(situation)
      ? { text: 'Its line items have ended.', mend: situation.send('PUT', 'line_items/:line_item_id', A_LATER_END) }
      : {
          text: `It ended at ${String(situation.item.end_time)}.`,
          mend:
            situation.kind.path === 'funding_instruments'
              ? 'Create another funding instrument.'
              : situation.put(A_LATER_END),
        },
  DELETED: ({ kind }) => ({
    text: kind.path === 'funding_instruments' ? 'It is deleted.' : 'Its campaign is deleted.',
    mend: 'Nothing restores it: create another one.',
  }),
  PAUSED: () => ({ text: 'It is paused.', mend: 'Create another funding instrument.' }),
  PROCESSING: ({ accountId, item }) => ({
    text: 'Its people are being counted.',
    mend: `Wait some seconds. npx marquee request GET /12/accounts/${accountId}/custom_audiences/${String(item.id)}/diagnostics shows the uploads.`,
  }),
  TOO_SMALL: ({ send, item }) => ({
    text: 'It has too few people whom the directory knows.',
    mend: send('GET', `custom_audiences/${String(item.id)}/diagnostics`),
  }),
};

interface Account {
  id: string;
  isSandbox: boolean;
}

const sendTo =
  ({ id, isSandbox }: Account): Situation['send'] =>
  (method, path, ...params) =>
    ['npx marquee request', method, `/12/accounts/${id}/${path}`, ...params, ...(isSandbox ? ['--sandbox'] : [])]
      .join(' ')
      .trim();

/** The command that creates the first one of a kind, below the parents that a list names; undefined where none does. */
export function creationOf(kind: Kind, parents: Readonly<Record<string, string | undefined>>, account: Account) {
  // funding instruments are created by an API in the sandbox only
  if (!kind.creation || (kind.path === 'funding_instruments' && !account.isSandbox)) return undefined;
  const { path = kind.path, params } = kind.creation;
  const idOf = (param: string) => parents[`${param.split('=')[0]}s`];
  const filled = params.map((param) => (idOf(param) ? `${param.split('=')[0]}=${idOf(param)}` : param));
  return sendTo(account)('POST', path, ...filled);
}

/** Why an item does not serve, cannot pay or cannot be targeted; nothing if it can. */
export function remediesOf(kind: Kind, item: Item, account: Account) {
  const reasons = item.reasons_not_servable ?? item.reasons_not_able_to_fund ?? item.reasons_not_targetable ?? [];
  const send = sendTo(account);
  const put: Situation['put'] = (...params) => send('PUT', `${kind.path}/${String(item.id)}`, ...params);
  return (reasons as string[]).map((reason): Remedy & { reason: string } => ({
    reason,
    ...(EXPLANATIONS[reason]?.({ item, kind, send, put, accountId: account.id }) ?? { text: reason, mend: '' }),
  }));
}

const words = (constant: string): string => {
  const text = constant.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const GOOD = new Set(['RUNNING', 'ACCEPTED']);
const BAD = new Set(['REJECTED', 'EXHAUSTED']);

/** The state of an item in a word: what `UNKNOWN` of the API means here, and whether an audience or a payer is usable. */
export function statusOf(item: Item): { text: string; tone: string } | null {
  const { effective_status: effective, able_to_fund, targetable, approval_status, entity_status } = item;
  if (item.deleted === true) return { text: 'Deleted', tone: 'bad' };
  if (effective === 'UNKNOWN') {
    const isPaused = (item.reasons_not_servable as string[]).includes('PAUSED_BY_ADVERTISER');
    return { text: isPaused ? 'Paused' : 'Incomplete', tone: isPaused ? '' : 'bad' };
  }
  if (typeof able_to_fund === 'boolean')
    return able_to_fund ? { text: 'Can pay', tone: 'good' } : { text: 'Cannot pay', tone: 'bad' };
  if (typeof targetable === 'boolean')
    return targetable ? { text: 'Targetable', tone: 'good' } : { text: 'Not targetable', tone: 'bad' };
  const status = effective ?? (entity_status === 'PAUSED' ? entity_status : approval_status);
  if (typeof status !== 'string') return null;
  return { text: words(status), tone: GOOD.has(status) ? 'good' : BAD.has(status) ? 'bad' : '' };
}
