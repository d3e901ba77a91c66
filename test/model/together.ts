/** Eight workers at once, from a generated plan: what they saw must be explained by an order of their requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import * as fc from 'fast-check';
import { isLinearizable, type Operation } from '../../scripts/proofs/support/linearizability.js';
import { CampaignLimitService } from '../../src/campaigns/campaigns/campaign-limit.service.js';
import type { Params, Sending } from '../support/api.js';
import { world } from '../support/app.js';
import { disturb } from '../support/disasters.js';
import { given, type Advertiser } from '../support/given.js';
import type { Answer, Json } from '../support/http.js';

const WORKERS = 8;
/** Campaigns that all of them change, and how many of those may be active. */
const SHARED = 4;
const ACTIVE_CAMPAIGNS = 2;
/** Limits of line items, by the specification. */
const OF_CAMPAIGN = 100;
const OF_ACCOUNT = 256;
/** Places that are left for line items when the workers begin. */
const ROOM = 3;
/** What a service answers that is too busy; so does nginx of a replica that died, and no answer says no more. */
const UNAVAILABLE = 503;
const BAD_GATEWAY = 502;
const LOST: Answer = { status: UNAVAILABLE, headers: {}, body: undefined, text: '' };
const MAX_TRIES = 240;
const BUSY_MS = 250;

const step = fc.record({
  does: fc.constantFrom('rename', 'batch', 'read', 'list', 'item', 'switch', 'delete'),
  ...{ campaign: fc.nat(SHARED - 1), status: fc.constantFrom('ACTIVE', 'PAUSED') },
  ...{ isFull: fc.boolean(), keepsStatus: fc.boolean() },
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What each worker does, one step after the other. */
export type Plan = Step[][];
const steps = fc.array(step, { minLength: 8, maxLength: 14 });
export const plans: fc.Arbitrary<Plan> = fc.array(steps, { minLength: WORKERS, maxLength: WORKERS });

/** What is compared of a campaign. */
interface State {
  name: string;
  status: string;
}
const stateOf = ({ name, entity_status }: Json): State => ({ name, status: entity_status });

/** An account with few places left, what was asked of it, and what came back. */
class Meeting {
  requests = 0;
  private writes = 0;
  private readonly operations: Map<string, Operation<State>[]>;
  /** Writes of which nobody knows whether they were done, or will be. */
  private readonly lost: { id: string; name: string; operation: Operation<State> }[] = [];
  private readonly latest = new Map<string, string>();
  private readonly acknowledged = new Set<string>();
  private readonly rejected = new Set<string>();

  private constructor(
    private readonly advertiser: Advertiser,
    private readonly campaigns: { id: string; initial: State }[],
    /** A campaign with few places, one that nobody changes, and one with many. */
    private readonly items: { full: string; still: string; other: string; stillIds: string[] },
  ) {
    this.operations = new Map(campaigns.map(({ id }) => [id, []]));
  }

  static async prepare(): Promise<Meeting> {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    await world().get(CampaignLimitService).set(account.id, ACTIVE_CAMPAIGNS);
    const campaigns = await given.campaigns({ account, count: SHARED, entity_status: 'PAUSED' });
    const [full, still, other] = await given.campaigns({ account, count: 3, entity_status: 'PAUSED' });
    const fill = (campaign_id: string, count: number) => given.lineItems({ account, count, campaign_id });
    await fill(full.id, OF_CAMPAIGN - ROOM);
    const kept = await fill(still.id, OF_CAMPAIGN);
    await fill(other.id, OF_ACCOUNT - 2 * OF_CAMPAIGN);
    await world().caughtUp();
    return new Meeting(
      advertiser,
      campaigns.map(({ id, name, entityStatus }) => ({ id, initial: { name, status: entityStatus } })),
      { full: full.id, still: still.id, other: other.id, stillIds: kept.map(({ id }) => id).sort() },
    );
  }

  async meet(plan: Plan): Promise<void> {
    let [isCalm, isOver] = [false, false];
    const walking = this.walk(() => isOver);
    const disturbed = disturb().finally(() => (isCalm = true));
    await Promise.all([...plan.map((steps) => this.work(steps, () => isCalm)), disturbed]);
    isOver = true;
    await walking;
    await this.check();
  }

  /** Its steps, again and again until what disturbs the service is over. */
  private async work(steps: Step[], isCalm: () => boolean): Promise<void> {
    // its line items, as it last saw them
    const own: Json[] = [];
    do await this.goThrough(steps, own);
    while (!isCalm());
  }

  private async goThrough(steps: Step[], own: Json[]): Promise<void> {
    for (const { does, campaign, status, isFull, keepsStatus } of steps) {
      const two = [0, 1].map((next) => this.campaigns[(campaign + next) % SHARED]);
      if (does === 'rename') await this.change(two.slice(1), keepsStatus ? undefined : status);
      else if (does === 'batch') await this.change(two, status);
      else if (does === 'read') await this.read(two[0].id);
      else if (does === 'list') await this.list();
      else if (does === 'item') await this.create(own, isFull, status);
      else if (does === 'switch') await this.switch(own, status);
      else await this.remove(own);
    }
  }

  /** Gives campaigns new names, and a status: one alone, or several together. */
  private async change(campaigns: { id: string }[], entity_status: string | undefined): Promise<void> {
    const changes = campaigns.map(({ id }) => ({ id, name: this.newName(), entity_status }));
    const from = performance.now();
    const [{ id, ...form }] = changes;
    const json = changes.map(({ id: campaign_id, ...rest }) => ({
      ...{ operation_type: 'Update', params: { campaign_id, ...rest } },
    }));
    const answer = await (changes.length === 1
      ? this.ask('PUT', `campaigns/${id}`, { form })
      : this.ask('POST', `/12/batch/accounts/${this.advertiser.account.id}/campaigns`, { json }));
    const to = performance.now();
    const isLost = answer.status === UNAVAILABLE;
    const names = changes.map(({ name }) => name);
    if (!this.isDone(answer, names) && !isLost) return;
    const shown: Json[] = isLost ? [] : [answer.body.data].flat();
    changes.forEach(({ id: of, name }, index) => {
      const leaves = ({ status }: State) => ({ name, status: entity_status ?? status });
      if (isLost) return this.lost.push({ id: of, name, operation: { from, to: undefined, apply: leaves } });
      if (shown[index].updated_at > (this.latest.get(of) ?? '')) this.latest.set(of, shown[index].updated_at);
      const apply = (found: State) => (isSame(leaves(found), stateOf(shown[index])) ? leaves(found) : undefined);
      return this.operations.get(of)!.push({ from, to, apply });
    });
  }

  private async read(id: string): Promise<void> {
    const from = performance.now();
    const { body } = await this.ask('GET', `campaigns/${id}`);
    this.saw(id, from, body.data);
  }

  private async list(): Promise<void> {
    const from = performance.now();
    const campaign_ids = this.campaigns.map(({ id }) => id).join(',');
    const { body, text } = await this.ask('GET', 'campaigns', { query: { campaign_ids } });
    expect([body.data?.length, text]).toEqual([SHARED, text]);
    const active = body.data.filter((each: Json) => each.entity_status === 'ACTIVE');
    expect(active.length).toBeLessThanOrEqual(ACTIVE_CAMPAIGNS);
    for (const each of body.data) this.saw(each.id, from, each);
  }

  private async create(own: Json[], isFull: boolean, entity_status: string): Promise<void> {
    const name = this.newName();
    const answer = await this.ask('POST', 'line_items', {
      form: {
        ...{ campaign_id: isFull ? this.items.full : this.items.other, name, entity_status },
        ...{ objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_PLATFORM' },
        ...{ start_time: '2026-01-01T00:00:00Z', end_time: '2036-01-01T00:00:00Z' },
      },
    });
    if (!this.isDone(answer, [name])) return;
    const { data } = answer.body;
    own.push(data);
    expect((await this.ask('GET', `line_items/${data.id}`)).body.data).toEqual(data);
  }

  private async switch(own: Json[], entity_status: string): Promise<void> {
    const item = own.at(-1);
    if (!item) return;
    const answer = await this.ask('PUT', `line_items/${item.id}`, { form: { entity_status } });
    // nobody knows when what was not answered is done
    if (answer.status === UNAVAILABLE) own.splice(own.indexOf(item), 1);
    if (!this.isDone(answer, [])) return;
    const { data } = answer.body;
    expect([data.name, data.entity_status]).toEqual([item.name, entity_status]);
    expect(data.updated_at >= item.updated_at).toBe(true);
    Object.assign(item, data);
    expect((await this.ask('GET', `line_items/${item.id}`)).body.data).toEqual(data);
  }

  private async remove(own: Json[]): Promise<void> {
    const item = own.pop();
    if (!item) return;
    const { status } = await this.ask('DELETE', `line_items/${item.id}`);
    if (status === UNAVAILABLE) return;
    expect(status).toBe(200);
    expect((await this.ask('GET', `line_items/${item.id}`)).status).toBe(404);
  }

  /** Walks through line items that nobody changes, page by page, and counts those that the workers create. */
  private async walk(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query: Params = { campaign_ids: this.items.still, count: 30, ...(cursor && { cursor }) };
        const { body } = await this.ask('GET', 'line_items', { query });
        ids.push(...body.data.map(({ id }: Json) => id as string));
        cursor = body.next_cursor;
      }
      expect(ids.sort()).toEqual(this.items.stillIds);
      await this.countItems();
    }
  }

  private async countItems(): Promise<void> {
    const { body } = await this.ask('GET', 'line_items', { query: { campaign_ids: this.items.full, count: 1_000 } });
    expect(body.data.length).toBeLessThanOrEqual(OF_CAMPAIGN);
    const all = await this.ask('GET', 'line_items', { query: { count: 1_000 } });
    const active = all.body.data.filter(({ entity_status }: Json) => entity_status === 'ACTIVE');
    expect(active.length).toBeLessThanOrEqual(OF_ACCOUNT);
  }

  private async check(): Promise<void> {
    await this.countItems();
    await this.list();
    const timesOf = await this.timesInHistory();
    for (const { id, name, operation } of this.lost) if (timesOf.has(name)) this.operations.get(id)!.push(operation);
    for (const { id, initial } of this.campaigns) {
      const { body } = await this.ask('GET', `campaigns/${id}`);
      expect(body.data.updated_at >= (this.latest.get(id) ?? '')).toBe(true);
      const explained = isLinearizable(this.operations.get(id)!, initial, JSON.stringify);
      expect({ id, explained }).toEqual({ id, explained: true });
    }
    expect([...this.acknowledged].filter((name) => timesOf.get(name) !== 1)).toEqual([]);
    expect([...this.rejected].filter((name) => timesOf.has(name))).toEqual([]);
  }

  /** How often the account history tells of each name. */
  private async timesInHistory(): Promise<Map<string, number>> {
    const stored = await world().sql<{ name: string; times: number }>(
      `SELECT "entityData"->>'name' AS name, count(*)::int AS times FROM account_changes WHERE "accountId" = $1
        AND ("changeType" = 'CREATE' OR "changes" -> 'name' IS NOT NULL) GROUP BY 1`,
      this.advertiser.account.id,
    );
    return new Map(stored.map(({ name, times }) => [name, times]));
  }

  private newName = () => `Write ${++this.writes}`;

  private saw(id: string, from: number, view: Json): void {
    const seen = stateOf(view);
    expect(this.rejected.has(seen.name)).toBe(false);
    const apply = (found: State) => (isSame(found, seen) ? found : undefined);
    this.operations.get(id)!.push({ from, to: performance.now(), apply, isRead: true });
  }

  /** Whether a write was done; otherwise a limit is full, or a busy service does not tell. */
  private isDone({ status: said, body }: Answer, names: string[]): boolean {
    if (said === UNAVAILABLE) return false;
    for (const name of names) (said < 300 ? this.acknowledged : this.rejected).add(name);
    if (said < 300) return true;
    const errors = (body.errors ?? body.operation_errors.flat()) as Json[];
    expect([said, errors.filter(({ code }) => !/^TOO_MANY_(CAMPAIGNS|LINE_ITEMS)$/.test(code))]).toEqual([400, []]);
    return false;
  }

  /** A read is repeated while the service is too busy for it. */
  private async ask(method: string, below: string, sending: Sending = {}): Promise<Answer> {
    const { account, api } = this.advertiser;
    for (let tries = 1; ; tries++) {
      this.requests++;
      const path = below.startsWith('/') ? below : `/12/accounts/${account.id}/${below}`;
      const answer = await api.call(method, path, sending).catch((error: NodeJS.ErrnoException) => {
        if (error.code === undefined) throw error;
        return LOST;
      });
      const isLost = [UNAVAILABLE, BAD_GATEWAY].includes(answer.status);
      if (method !== 'GET' || !isLost || tries === MAX_TRIES) return isLost ? LOST : answer;
      await pause(BUSY_MS);
    }
  }
}

const isSame = (one: State, other: State) => one.name === other.name && one.status === other.status;

/** Carries out a plan in a new account, and returns the number of requests. */
export async function together(plan: Plan): Promise<number> {
  const meeting = await Meeting.prepare();
  await meeting.meet(plan);
  return meeting.requests;
}
