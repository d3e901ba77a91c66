/** Money of an account in the sandbox while a test clock advances: what the rules of delivery and statistics say of any world. */
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import * as fc from 'fast-check';
import type { Api, Params } from '../support/api.js';
import { world } from '../support/app.js';
import { given } from '../support/given.js';
import type { Json } from '../support/http.js';
import { DAILY, TOTAL } from './campaigns.js';
import { wire } from './reading.js';

const HOUR = 3_600_000;
const DAYS = 3;
const HOURS = DAYS * 24;
const LOOK_MS = 20;
/** Where an account is, and when its day begins there. */
const PLACES = { UTC: '2027-01-10T00:00:00Z', 'America/Los_Angeles': '2027-01-10T08:00:00Z' } as const;
const SEGMENTS = ['GENDER', 'AGE', 'LANGUAGES', 'PLATFORMS'] as const;
/** Metrics that hours, days, segments and line items divide. */
const SUMS = ['billed_charge_local_micro', 'impressions', 'engagements', 'url_clicks'];

const upTo = (max: number) => fc.integer({ min: 1, max });
const amount = (cents: number) => upTo(cents).map((each) => each * 10_000);
const change = fc.record({
  what: fc.constantFrom('pass', 'budget', 'status'),
  ...{ hours: upTo(30), which: fc.nat(9), field: fc.constantFrom(DAILY, TOTAL), amount: amount(900) },
  status: fc.constantFrom('ACTIVE', 'PAUSED'),
});

const campaign = fc.record({ daily: amount(400), total: fc.option(amount(900), { nil: undefined }), items: upTo(3) });

/** Campaigns with line items, what changes between hours, and how statistics are asked for. */
export const economies = fc.record({
  place: fc.constantFrom(...(Object.keys(PLACES) as (keyof typeof PLACES)[])),
  funds: amount(1_500),
  campaigns: fc.array(campaign, { minLength: 1, maxLength: 2 }),
  changes: fc.array(change, { minLength: 2, maxLength: 8 }),
  segmentation: fc.constantFrom(...SEGMENTS),
});
export type Economy = typeof economies extends fc.Arbitrary<infer E> ? E : never;
type Change = Economy['changes'][number];

/** A campaign, its line items, and the largest budgets that it has had. */
interface Tree {
  id: string;
  items: string[];
  daily: number;
  total: number;
}

class Books {
  private passed = 0;

  private constructor(
    private readonly api: Api,
    private readonly id: string,
    private readonly fundingId: string,
    private readonly funds: number,
    private readonly trees: Tree[],
    private readonly clockId: string,
    private readonly start: number,
  ) {}

  static async open({ place, funds, campaigns }: Economy): Promise<Books> {
    const { ownerId, api } = await given.applicationOwner();
    const account = await given.account({ userId: ownerId, environment: 'sandbox', timezone: place });
    const credit = { type: 'CREDIT_LINE' as const, credit_limit_local_micro: funds };
    const funding = await given.fundingInstrument({ account, ...credit });
    const trees: Tree[] = [];
    for (const { daily: wished, total: wanted, items } of campaigns) {
      // each alone can be paid, but perhaps not all of them
      const daily = Math.min(wished, funds);
      const total = wanted === undefined ? undefined : Math.min(funds, Math.max(wanted, daily));
      const budgets = { [DAILY]: daily, [TOTAL]: total };
      const { id } = await given.campaign({ account, funding_instrument_id: funding.id, ...budgets });
      const tree: Tree = { id, items: [], daily, total: total ?? Infinity };
      for (let item = 0; item < items; item++) {
        const line = await given.lineItem({ account, campaign_id: id });
        await given.promotedPost({ account, lineItemId: line.id });
        tree.items.push(line.id);
      }
      trees.push(tree);
    }
    const start = Date.parse(PLACES[place]);
    const form = { name: 'Clock', frozen_time: wire(start), account_ids: account.id };
    const { body } = await api.post('/workbench/clocks', { form });
    await world().caughtUp();
    return new Books(api, account.id, funding.id, funds, trees, body.data.id, start);
  }

  /** Budgets and statuses change while hours pass. */
  async live(changes: Change[]): Promise<void> {
    for (const each of changes) {
      if (each.what === 'pass') await this.pass(each.hours);
      else await this.change(this.trees[each.which % this.trees.length], each);
    }
    await this.pass(HOURS - this.passed);
  }

  private async pass(hours: number): Promise<void> {
    const until = Math.min(HOURS, this.passed + hours);
    if (until === this.passed) return;
    this.passed = until;
    const clock = `/workbench/clocks/${this.clockId}`;
    const form = { frozen_time: wire(this.start + until * HOUR) };
    expect((await this.api.post(`${clock}/advance`, { form })).status).toBe(200);
    let status = 'advancing';
    while (status === 'advancing') {
      await pause(LOOK_MS);
      ({ status } = (await this.api.get(clock)).body.data);
    }
    expect(status).toBe('ready');
  }

  /** One that is refused changes nothing. */
  private async change(tree: Tree, { what, status: entity_status, field, amount }: Change): Promise<void> {
    const form = what === 'status' ? { entity_status } : { [field]: amount };
    const { status, body } = await this.ask('PUT', `accounts/${this.id}/campaigns/${tree.id}`, { form });
    // 403 is of a budget that the funding cannot pay
    expect([200, 400, 403]).toContain(status);
    if (what === 'status' || status !== 200) return;
    tree.daily = Math.max(tree.daily, body.data[DAILY]);
    // a budget that was taken away bounds no more
    tree.total = Math.max(tree.total, body.data[TOTAL] ?? Infinity);
  }

  /** The books balance. */
  async check(segmentation: Economy['segmentation']): Promise<void> {
    const items = this.trees.flatMap((tree) => tree.items);
    const campaigns = this.trees.map(({ id }) => id);
    const ofItems = await this.days('LINE_ITEM', items);
    const ofCampaigns = await this.days('CAMPAIGN', campaigns);
    const ofFunding = await this.days('FUNDING_INSTRUMENT', [this.fundingId]);
    const ofAccount = await this.days('ACCOUNT', [this.id]);
    for (const { id, items: own, daily, total } of this.trees) {
      const mine = ofCampaigns.get(id)!;
      expect(sum(own.map((each) => ofItems.get(each)!))).toEqual(mine);
      const [charges] = mine;
      for (const charge of charges) expect(charge).toBeLessThanOrEqual(daily);
      expect(added(charges)).toBeLessThanOrEqual(total);
    }
    // neither funding nor accounts have clicks, and accounts no bills
    const funding = ofFunding.get(this.fundingId)!.slice(0, 3);
    expect(sum([...ofCampaigns.values()]).slice(0, 3)).toEqual(funding);
    expect(ofAccount.get(this.id)!.slice(1, 3)).toEqual(funding.slice(1));
    expect(added(funding[0])).toBeLessThanOrEqual(this.funds);
    expect(await this.segments(items, segmentation)).toEqual(ofItems);
  }

  /** The metrics of each day, by entity; hours add up to them, and they to the total. */
  private async days(entity: string, ids: string[]): Promise<Map<string, number[][]>> {
    const hours = await this.figures(entity, ids, 'HOUR');
    const days = await this.figures(entity, ids, 'DAY');
    const totals = await this.figures(entity, ids, 'TOTAL');
    for (const id of ids) {
      const ofDays = (each: number[]) =>
        Array.from({ length: DAYS }, (_, day) => added(each.slice(day * 24, day * 24 + 24)));
      expect(hours.get(id)!.map(ofDays)).toEqual(days.get(id));
      expect(days.get(id)!.map((each) => [added(each)])).toEqual(totals.get(id));
    }
    return days;
  }

  private query = (entity: string, ids: string[], granularity: string): Params => ({
    ...{ entity, entity_ids: ids.join(), granularity, placement: 'ALL_ON_PLATFORM' },
    metric_groups: entity === 'ACCOUNT' ? 'ENGAGEMENT' : 'BILLING,ENGAGEMENT',
    ...{ start_time: wire(this.start), end_time: wire(this.start + HOURS * HOUR) },
  });

  private async figures(entity: string, ids: string[], granularity: string): Promise<Map<string, number[][]>> {
    const query = this.query(entity, ids, granularity);
    const { status, body, text } = await this.ask('GET', `stats/accounts/${this.id}`, { query });
    expect([status, text]).toEqual([200, text]);
    const length = { HOUR: HOURS, DAY: DAYS, TOTAL: 1 }[granularity]!;
    return new Map(body.data.map(({ id, id_data: [{ metrics }] }: Json) => [id, metricsOf(metrics, length)]));
  }

  /** The days of line items as the sums of their segments, from the file of a job. */
  private async segments(ids: string[], segmentation_type: string): Promise<Map<string, number[][]>> {
    const path = `stats/jobs/accounts/${this.id}`;
    const query = { ...this.query('LINE_ITEM', ids, 'DAY'), segmentation_type };
    const { body } = await this.ask('POST', path, { query });
    let job: Json = body.data;
    while (job.status === 'PROCESSING') {
      await pause(LOOK_MS);
      [job] = (await this.ask('GET', path, { query: { job_ids: body.data.id_str } })).body.data;
    }
    const file = await fetch(`${world().url}${new URL(job.url).pathname}`);
    const { data } = JSON.parse(gunzipSync(Buffer.from(await file.arrayBuffer())).toString());
    return new Map(
      data.map(({ id, id_data }: Json) => [
        id,
        sum([metricsOf({}, DAYS), ...id_data.map(({ metrics }: Json) => metricsOf(metrics, DAYS))]),
      ]),
    );
  }

  private ask = (method: string, path: string, sending: { query?: Params; form?: Params }) =>
    this.api.in('sandbox').call(method, `/12/${path}`, sending);
}

const added = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Metrics without any count are null. */
const metricsOf = (metrics: Json, length: number): number[][] =>
  SUMS.map((name) => (metrics[name] as number[] | null | undefined) ?? new Array<number>(length).fill(0));

/** Tables of the same size, added up. */
const sum = (tables: number[][][]): number[][] =>
  tables[0].map((row, metric) => row.map((_, time) => added(tables.map((table) => table[metric][time]))));

/** Lives through an economy in a new account, and checks its books. */
export async function balance(economy: Economy): Promise<void> {
  const books = await Books.open(economy);
  await books.live(economy.changes);
  await books.check(economy.segmentation);
}
