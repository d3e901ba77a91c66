import { createHash, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './support/cluster.js';
import type { Query } from './support/creates.js';
import { ask as send } from './support/requests.js';

/** Users whom everybody knows to be users, in each audience beside the one that is asked about. */
const FILLERS = 99;
const AT_ONCE = 4;
const SETTLED_WITHIN_MS = 300_000;
const DAY_MS = 86_400_000;

/** What one way out tells about each target: values by the place where they are. */
export interface WayOut {
  by: string;
  told: Told[];
}
type Told = Map<string, string | number>;

/** Addresses, of which the attacker knows the first half: whether they are users. */
export interface Suspects {
  count: number;
  address: (n: number) => string;
  isUser: (n: number) => boolean;
  filler: (n: number) => string;
}

/**
 * An advertiser in the sandbox uploads one suspect after another, each among known users, targets them, delivers for a day,
 * and then reads everything that the service has about it: a snapshot file, the journal, what webhooks receive, statistics, and
 * what MCP answers. `control` is what the database has, where a guess has to succeed.
 */
export async function waysOut(
  cluster: Cluster,
  query: Query,
  suspects: Suspects,
): Promise<{ ways: WayOut[]; control: WayOut }> {
  return new Reader(cluster, query, suspects).read();
}

/**
 * The number of right guesses about the second half of the targets. Whoever guesses knows the truth about the first half, takes the
 * place whose values tell it best there, and guesses by it.
 */
export function learned({ told }: WayOut, isTrue: (target: number) => boolean): { right: number; of: number } {
  const half = Math.floor(told.length / 2);
  const places = new Set(told.flatMap((each) => [...each.keys()]));
  let best: { hits: number; guess: (each: Told) => boolean } = { hits: -1, guess: () => randomInt(2) === 1 };
  for (const place of places)
    for (const guess of guessesBy(place, told.slice(0, half), isTrue)) {
      const hits = told.slice(0, half).filter((each, n) => guess(each) === isTrue(n)).length;
      if (hits > best.hits) best = { hits, guess };
    }
  const rest = told.slice(half);
  return { right: rest.filter((each, n) => best.guess(each) === isTrue(half + n)).length, of: rest.length };
}

/** By the words that only true ones have, and by each side of each number. */
function guessesBy(
  place: string,
  known: readonly Told[],
  isTrue: (target: number) => boolean,
): ((each: Told) => boolean)[] {
  const values = known.map((each) => each.get(place));
  const votes = new Map<unknown, number>();
  for (const [n, value] of values.entries()) votes.set(value, (votes.get(value) ?? 0) + (isTrue(n) ? 1 : -1));
  const byWord = (each: Told) => {
    const vote = votes.get(each.get(place)) ?? 0;
    return vote === 0 ? randomInt(2) === 1 : vote > 0;
  };
  const numbers = [...new Set(values.filter((value) => typeof value === 'number'))];
  const above = (edge: number) => (each: Told) => {
    const value = each.get(place);
    return typeof value === 'number' && value >= edge;
  };
  return [
    // a value of each target its own tells nothing about others
    ...(votes.size < known.length / 2 ? [byWord] : []),
    ...numbers.flatMap((edge) => [above(edge), (each: Told) => !above(edge)(each)]),
  ];
}

/** The values in JSON by their places, where lists count as one place. */
function flatten(value: unknown, place: string, found: Told): Told {
  if (Array.isArray(value)) {
    found.set(`${place}.length`, value.length);
    for (const each of value) flatten(each, `${place}[]`, found);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) flatten(each, `${place}.${name}`, found);
  else {
    const before = found.get(place);
    // sums of numbers, and words one after another
    if (typeof value === 'number') found.set(place, (typeof before === 'number' ? before : 0) + value);
    else found.set(place, before === undefined ? String(value) : `${before} ${String(value)}`.slice(0, 200));
    if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) found.set(`${place} number`, Number(value));
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) found.set(`${place} time`, Date.parse(value));
  }
  return found;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const parameters = (values: Record<string, string>) => new URLSearchParams(values).toString();

interface Shown {
  audienceId: string;
  lineItemId: string;
  hash: string;
}

class Reader {
  private account = '';

  constructor(
    private readonly cluster: Cluster,
    private readonly query: Query,
    private readonly suspects: Suspects,
  ) {}

  async read(): Promise<{ ways: WayOut[]; control: WayOut }> {
    const made = await this.ask('POST', `/sandbox/12/accounts?${parameters({ name: 'Reader' })}`);
    const [{ id }] = [made].flat() as { id: string }[];
    this.account = `/sandbox/12/accounts/${id}`;
    const shown = await this.prepare(id);
    await this.deliver(id);
    const file = await this.file(id);
    const control = await Promise.all(
      shown.map(async ({ audienceId, hash }) => {
        const found = await this.query(
          `SELECT users IS NULL AS "isNobody" FROM audience_identifiers WHERE "audienceId" = $1 AND hash = decode($2, 'hex')`,
          [audienceId, hash],
        );
        return flatten(found, 'rows', new Map());
      }),
    );
    return {
      control: { by: 'what the database keeps', told: control },
      ways: [
        { by: 'a snapshot file', told: shown.map((each) => fileAbout(file, each)) },
        { by: 'the journal', told: await this.each(shown, (each) => this.journal(each)) },
        { by: 'events', told: await this.each(shown, (each) => this.events(each)) },
        { by: 'statistics', told: await this.each(shown, (each) => this.statistics(each)) },
        { by: 'MCP', told: await this.each(shown, (each) => this.mcp(id, each)) },
      ],
    };
  }

  /** An audience for each suspect, and a line item that targets it. */
  private async prepare(accountId: string): Promise<Shown[]> {
    const { account, suspects } = this;
    const make = async (path: string, values: Record<string, string>) =>
      ([await this.ask('POST', `${account}/${path}?${parameters(values)}`)].flat() as { id: string }[])[0].id;
    const start_time = new Date(Date.now() - DAY_MS).toISOString();
    const funding = { currency: 'USD', start_time, type: 'CREDIT_CARD' };
    const funding_instrument_id = await make('funding_instruments', funding);
    const budget = { daily_budget_amount_local_micro: '100000000000' };
    const campaign_id = await make('campaigns', { name: 'All', funding_instrument_id, ...budget });
    const postId = await make('post', { as_user_id: this.cluster.world.author, text: 'Read this' });
    const fillers = Array.from({ length: FILLERS }, (_, n) => suspects.filler(n));
    const targets = Array.from({ length: suspects.count }, (_, n) => n);
    const audiences = await this.each(targets, async (n) => {
      const audienceId = await make('custom_audiences', { name: `Audience ${n}` });
      const users = [...fillers, suspects.address(n)].map((address) => ({ email: [hashOf(address)] }));
      await this.ask('POST', `${account}/custom_audiences/${audienceId}/users`, [
        { operation_type: 'Update', params: { users } },
      ]);
      return audienceId;
    });
    await this.settled(accountId);
    return this.each(targets, async (n) => {
      const flight = { start_time, end_time: new Date(Date.now() + 90 * DAY_MS).toISOString() };
      const kind = { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_PLATFORM' };
      const line_item_id = await make('line_items', { campaign_id, name: `Item ${n}`, ...kind, ...flight });
      const criterion = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audiences[n], operator_type: 'EQ' };
      await this.ask('POST', `${account}/targeting_criteria?${parameters({ line_item_id, ...criterion })}`);
      await this.ask('POST', `${account}/promoted_posts?${parameters({ line_item_id, post_ids: postId })}`);
      return { audienceId: audiences[n], lineItemId: line_item_id, hash: hashOf(suspects.address(n)) };
    });
  }

  private async settled(accountId: string): Promise<void> {
    for (const deadline = performance.now() + SETTLED_WITHIN_MS; performance.now() < deadline; await pause(200)) {
      const text = `SELECT count(*)::int AS waiting FROM audience_sizings WHERE "accountId" = $1 AND ("waitingSince" IS NOT NULL OR "dueAt" <= now())`;
      const [{ waiting }] = (await this.query(text, [accountId])) as { waiting: number }[];
      if (waiting === 0) return;
    }
    throw new Error('the audiences were not counted in time');
  }

  /** Advances a clock of the account by a day. */
  private async deliver(accountId: string): Promise<void> {
    const at = (ms: number) => new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + ms).toISOString();
    const values = { name: 'Reader', frozen_time: at(0), account_ids: accountId };
    const { id } = (await this.ask('POST', `/workbench/clocks?${parameters(values)}`)) as { id: string };
    await this.ask('POST', `/workbench/clocks/${id}/advance?${parameters({ frozen_time: at(DAY_MS) })}`);
    for (const deadline = performance.now() + SETTLED_WITHIN_MS; performance.now() < deadline; await pause(500)) {
      const { status } = (await this.ask('GET', `/workbench/clocks/${id}`)) as { status: string };
      if (status === 'ready') return;
    }
    throw new Error('the clock does not arrive');
  }

  private async file(accountId: string): Promise<Tables> {
    await this.ask('PUT', `/workbench/snapshots/reader?${parameters({ account_ids: accountId })}`);
    const { accounts } = (await this.whole('GET', '/workbench/snapshots/reader/content')) as {
      accounts: { tables: Tables }[];
    };
    return accounts[0].tables;
  }

  private async journal({ audienceId }: Shown): Promise<Told> {
    const path = `${this.account}/custom_audiences/${audienceId}*`;
    const listed = (await this.ask('GET', `/workbench/requests?${parameters({ path })}`)) as { id: string }[];
    const found: unknown[] = [];
    for (const { id } of listed) found.push(await this.ask('GET', `/workbench/requests/${id}`));
    return flatten(found, 'requests', new Map());
  }

  /** Records of the history: events are made of them. */
  private async events({ audienceId, lineItemId }: Shown): Promise<Told> {
    const text = `SELECT to_jsonb(c) AS change FROM account_changes c WHERE c."entityId" IN ($1, $2) ORDER BY c.id`;
    const found = (await this.query(text, [audienceId, lineItemId])) as { change: unknown }[];
    return flatten(
      found.map(({ change }) => change),
      'changes',
      new Map(),
    );
  }

  private async statistics({ lineItemId }: Shown): Promise<Told> {
    const start = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    const time = (ms: number) => new Date(start + ms).toISOString();
    const values = {
      ...{ entity: 'LINE_ITEM', entity_ids: lineItemId, metric_groups: 'ENGAGEMENT,BILLING', granularity: 'HOUR' },
      ...{ placement: 'ALL_ON_PLATFORM', start_time: time(0), end_time: time(DAY_MS) },
    };
    const path = this.account.replace('/12/accounts', '/12/stats/accounts');
    return flatten(await this.ask('GET', `${path}?${parameters(values)}`), 'statistics', new Map());
  }

  private async mcp(account_id: string, { audienceId }: Shown): Promise<Told> {
    const { token } = this.cluster.world.pen;
    const call = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: {
        name: 'getCustomAudience',
        arguments: { account_id, custom_audience_id: audienceId, sandbox: true },
      },
    };
    const headers = {
      ...{ host: this.cluster.host, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      authorization: `Basic ${Buffer.from(`${token.key}:${token.secret}`).toString('base64')}`,
    };
    const body = JSON.stringify(call);
    const answer = await send(this.cluster.port, { method: 'POST', target: '/mcp', headers, body });
    if (answer.status !== 200 || !answer.body.includes(audienceId))
      throw new Error(`MCP answered ${answer.status}: ${answer.body.slice(0, 500)}`);
    const text = /^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body;
    return flatten(JSON.parse(textOf(text)), 'mcp', new Map());
  }

  private async each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    let next = 0;
    const worker = async () => {
      while (next < items.length) {
        const at = next++;
        results[at] = await work(items[at]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return results;
  }

  private async ask(method: string, target: string, body?: unknown): Promise<unknown> {
    return ((await this.whole(method, target, body)) as { data: unknown }).data;
  }

  private async whole(method: string, target: string, body?: unknown): Promise<unknown> {
    const answer = await this.cluster.ask(method, target, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${target} was answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as unknown;
  }
}

/** What the tool answers, which is JSON in JSON. */
const textOf = (message: string): string =>
  (JSON.parse(message) as { result: { content: { text: string }[] } }).result.content[0].text;

type Tables = Record<string, Record<string, unknown>[]>;

/** What a file has about the audience of a suspect, its line item and its identifier. */
function fileAbout(tables: Tables, { audienceId, lineItemId, hash }: Shown): Told {
  const found: Told = new Map();
  const facts = (tables.delivery_facts ?? []).filter((row) => row.lineItemId === lineItemId);
  const delivered = new Set(facts.map((row) => row.audienceId));
  const isAbout: Record<string, (row: Record<string, unknown>) => boolean> = {
    audience_identifiers: (row) => row.audienceId === audienceId && row.hash === `\\x${hash}`,
    audience_sizings: (row) => row.audienceId === audienceId,
    custom_audiences: (row) => row.id === audienceId,
    delivery_audiences: (row) => delivered.has(row.id),
    line_items: (row) => row.id === lineItemId,
  };
  for (const [table, rows] of Object.entries(tables)) {
    const about = rows.filter(isAbout[table] ?? ((row) => row.lineItemId === lineItemId));
    flatten(about, table, found);
  }
  if (!found.has('audience_identifiers[].hash')) throw new Error('the file has no identifier of a suspect');
  return found;
}
