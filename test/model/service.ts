/** Sends what the model has decided about to the service, and compares. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Answer, Json } from '../support/http.js';
import { world } from '../support/app.js';
import { given } from '../support/given.js';
import type { Receiver } from '../support/receiver.js';
import { AccountAccessService } from '../../src/accounts/access/account-access.service.js';
import { FundingInstrumentsService } from '../../src/campaigns/funding-instruments/funding-instruments.service.js';
import { addCriterion, promoteAccount, promotePosts } from './attachments.js';
import { createAudience, updateAudience } from './audiences.js';
import { beyondLimit, createCampaign, updateCampaign } from './campaigns.js';
import { strike, type Disaster } from './disasters.js';
import { sameEvents } from './events.js';
import { createLineItem, updateLineItem, type BidBounds } from './line-items.js';
import { inNamesOfX, inOurNames } from './names.js';
import { unknown, type Problem, type RawParams } from './reading.js';
import { whyNotServed } from './serving.js';
import { Snapshots } from './snapshots.js';
import {
  isRefused,
  ModelAccount,
  type Caller,
  type Decision,
  type Fields,
  type Kind,
  type Planned,
  type Resource,
} from './world.js';

/** A request, its status, and the ids in its answer. */
export interface Sent {
  method: string;
  path: string;
  params?: RawParams;
  json?: Json;
  status: number;
  made: string[];
}

/** An error instead of the answer; `AFTER_COMMIT` instead of that of a request that was carried out. */
export interface Fault {
  status: number;
  applied: 'BEFORE_COMMIT' | 'AFTER_COMMIT';
}

/** How a kind appears in requests. */
export const PATHS: Record<Kind, { path: string; id: string }> = {
  FUNDING_INSTRUMENT: { path: 'funding_instruments', id: 'funding_instrument_id' },
  CAMPAIGN: { path: 'campaigns', id: 'campaign_id' },
  LINE_ITEM: { path: 'line_items', id: 'line_item_id' },
  PROMOTED_POST: { path: 'promoted_posts', id: 'promoted_post_id' },
  PROMOTED_ACCOUNT: { path: 'promoted_accounts', id: 'promoted_account_id' },
  TARGETING_CRITERIA: { path: 'targeting_criteria', id: 'targeting_criterion_id' },
  CUSTOM_AUDIENCE: { path: 'custom_audiences', id: 'custom_audience_id' },
};

/** The model beside the service: what was done so far, and the accounts it was done in. */
export class Beside {
  private places = 0;
  /** What was sent, and how it went. */
  readonly sent: Sent[] = [];
  /** Whether callers use the names of X. */
  namesOfX = false;
  /** Which replica is asked; else a balancer chooses. */
  replica: number | undefined;

  constructor(
    readonly accounts: ModelAccount[],
    readonly callers: Caller[],
    readonly bounds: BidBounds,
    /** Where the events of the accounts arrive. */
    private readonly receiver: Receiver,
  ) {}

  readonly snapshots = new Snapshots(this);

  private now = () => world().clock.now().getTime();

  /** What an operation would do in an account as it is. */
  decide(account: ModelAccount, kind: Kind, operation: string, id: string, params: RawParams): Decision {
    if (operation === 'Delete') {
      const of = account.find(kind, id);
      return of ? { fields: of.fields, of, deletes: true } : { problems: [unknown(PATHS[kind].id)] };
    }
    if (kind === 'CAMPAIGN')
      return operation === 'Create' ? createCampaign(account, params) : updateCampaign(account, id, params);
    if (kind === 'LINE_ITEM')
      return operation === 'Create'
        ? createLineItem(account, params, this.now(), this.bounds)
        : updateLineItem(account, id, params, this.bounds);
    if (kind === 'CUSTOM_AUDIENCE')
      return operation === 'Create' ? createAudience(account, params) : updateAudience(account, id, params);
    return kind === 'PROMOTED_ACCOUNT' ? promoteAccount(account, params) : addCriterion(account, params);
  }

  /** Why this caller may not write here; undefined if they may. */
  private barred(
    caller: Caller,
    account: ModelAccount,
    writes: boolean,
  ): { status: number; problems: Problem[] } | undefined {
    const role = account.roles.get(caller);
    if (writes && !caller.mayWrite) return { status: 403, problems: [['READONLY_CLIENT_APPLICATION', ''] as const] };
    if (!role) return { status: 404, problems: [unknown('account_id')] };
    const roles = writes ? WRITERS : READERS;
    return roles.includes(role) ? undefined : { status: 403, problems: [['ACTION_NOT_ALLOWED', ''] as const] };
  }

  /** Funding comes and goes; outside the sandbox no request does it. */
  async funding(account: ModelAccount, deletes?: Resource): Promise<void> {
    const acting = {
      account: (await world().get(AccountAccessService).find(account.environment, account.id, account.fullUserId))!,
    };
    if (deletes) {
      await world().get(FundingInstrumentsService).delete(acting.account, deletes.id);
      await world().caughtUp();
      deletes.deleted = true;
      this.recordFunding(account, deletes.id, 'DELETE');
      return;
    }
    const row = await given.fundingInstrument(acting);
    await world().caughtUp();
    this.recordFunding(account, row.id, 'CREATE');
    account.resources.push({
      ...{
        kind: 'FUNDING_INSTRUMENT',
        id: row.id,
        place: this.places++,
        deleted: false,
        created_at: '',
        updated_at: '',
      },
      fields: { currency: 'USD', type: 'CREDIT_CARD' },
    });
  }

  private recordFunding(account: ModelAccount, entity_id: string, change_type: 'CREATE' | 'DELETE') {
    account.history.push({ entity: 'FUNDING_INSTRUMENT', entity_id, change_type, user_id: '', changes: {} });
  }

  /** Each change so far is an event. */
  events = (account: ModelAccount) => sameEvents(this.receiver, account, Object.keys(PATHS) as Kind[]);

  /**
   * One write of one resource. `twice` repeats it with the same Idempotency-Key. With a fault it is sent before, and meets that;
   * what a PUT did is not known without its answer, so that its fault comes before. With a disaster it is sent before, and perhaps
   * not answered.
   */
  async write(
    caller: Caller,
    account: ModelAccount,
    kind: Kind,
    operation: string,
    id: string,
    params: RawParams,
    twice?: string,
    fault?: Fault,
    disaster?: Disaster,
  ) {
    const method = { Create: 'POST', Update: 'PUT', Delete: 'DELETE' }[operation]!;
    const { path } = PATHS[kind];
    const target = `/12/accounts/${account.id}/${path}${operation === 'Create' ? '' : `/${id}`}`;
    const barred = this.barred(caller, account, true);
    const many = kind === 'PROMOTED_POST' && operation === 'Create';
    const decided = many ? promotePosts(account, params) : this.decide(account, kind, operation, id, params);
    const planned = Array.isArray(decided) ? decided : isRefused(decided) ? [] : [decided];
    const problems =
      'problems' in decided ? decided.problems : kind === 'CAMPAIGN' ? beyondLimit(account, planned).flat() : [];
    const applied = fault?.applied === 'AFTER_COMMIT' && twice && method !== 'PUT' ? fault.applied : 'BEFORE_COMMIT';
    const faulty = fault && {
      status: barred?.status ?? fault.status,
      prefer: `fault=${fault.status}; applied=${applied}`,
    };
    const answer = await this.send(caller, method, target, { params, key: twice, faulty, disaster });
    if (barred) return this.refused(answer, barred.problems, barred.status);
    if (problems.length > 0) return this.refused(answer, problems);
    const creates = planned.some(({ of }) => !of);
    expect([answer.status, answer.body.errors]).toEqual([creates ? 201 : 200, undefined]);
    this.apply(caller, account, kind, planned, many ? answer.body.data : [answer.body.data]);
    if (many) expect(answer.body.total_count).toBe(planned.length);
    if (many && creates) this.addTimeline(caller, account, answer.body.data);
  }

  /** A post on a line item for an account shows in the timeline from then on. */
  private addTimeline(caller: Caller, account: ModelAccount, promoted: Json[]) {
    const item = account.all('LINE_ITEM').find(({ id }) => id === promoted[0].line_item_id)!;
    const old = item.fields.placements as string[];
    if (item.fields.product_type !== 'PROMOTED_ACCOUNT' || old.includes('PLATFORM_TIMELINE')) return;
    const placements = [...old, 'PLATFORM_TIMELINE'];
    item.fields = { ...item.fields, placements };
    item.updated_at = promoted.at(-1).created_at;
    account.history.push({
      ...{ entity: 'LINE_ITEM', entity_id: item.id, change_type: 'UPDATE', user_id: caller.userId },
      changes: { placements: { old, new: placements } },
    });
  }

  /** Several operations that happen together or not at all. */
  async batch(
    caller: Caller,
    account: ModelAccount,
    kind: Kind,
    operations: { operation: string; id: string; params: RawParams }[],
    twice?: string,
    disaster?: Disaster,
  ) {
    const { path, id: name } = PATHS[kind];
    const json = operations.map(({ operation, id, params }) => ({
      operation_type: operation,
      params: { ...params, ...(operation !== 'Create' && { [name]: id }) },
    }));
    const answer = await this.send(caller, 'POST', `/12/batch/accounts/${account.id}/${path}`, {
      ...{ json, key: twice, disaster },
    });
    const barred = this.barred(caller, account, true);
    if (barred) return this.refused(answer, barred.problems, barred.status);
    // each operation sees what those before it did
    const copy = account.copy();
    const decided: Decision[] = [];
    // of criteria it is the final set that counts, so what is deleted goes first
    const order = operations.map((_, index) => index);
    if (kind === 'TARGETING_CRITERIA')
      order.sort(
        (a, b) => Number(operations[b].operation === 'Delete') - Number(operations[a].operation === 'Delete') || a - b,
      );
    for (const index of order) {
      const { operation, id, params } = operations[index];
      const decision = this.decide(copy, kind, operation, id, params);
      if (!isRefused(decision)) copy.imagine(kind, decision);
      decided[index] = decision;
    }
    let problems = decided.map((each) => (isRefused(each) ? each.problems : []));
    if (kind === 'CAMPAIGN' && problems.every((each) => each.length === 0))
      problems = beyondLimit(account, decided as Planned[]);
    if (problems.some((each) => each.length > 0)) {
      // later operations are judged beside one that fails, so only the first that fails has to be known exactly
      const first = problems.findIndex((each) => each.length > 0);
      const said = (answer.body.operation_errors ?? []) as Json[][];
      const untilThere = said
        .slice(0, first + 1)
        .map((each) => sorted(each.map(({ code, parameter }) => [code, parameter])));
      return expect({ status: answer.status, count: said.length, untilThere }).toEqual({
        ...{ status: 400, count: operations.length, untilThere: problems.slice(0, first + 1).map(sorted) },
      });
    }
    expect([answer.status, answer.body.errors, answer.body.operation_errors]).toEqual([200, undefined, undefined]);
    this.apply(caller, account, kind, decided as Planned[], answer.body.data);
  }

  private refused({ status, body }: Answer, problems: readonly Problem[], expected?: number) {
    const said = sorted((body.errors ?? []).map(({ code, parameter = '' }: Json) => [code, parameter]));
    expect({ status, said }).toEqual({ status: expected ?? statusOf(body.errors?.[0]?.code), said: sorted(problems) });
  }

  /** Remembers what the service says it did, which must be what the model decided. */
  private apply(caller: Caller, account: ModelAccount, kind: Kind, planned: Planned[], data: Json[]) {
    expect(data).toHaveLength(planned.length);
    planned.forEach(({ of: decidedOn, fields, deletes, exists }, index) => {
      const answer = data[index];
      const shows = (resource: Resource | undefined) => this.sameAs(account, resource!, answer);
      if (exists) return shows(account.resources.find(({ id }) => id === answer.id));
      // a batch was decided in a copy
      const of = decidedOn && account.resources.find(({ id }) => id === decidedOn.id);
      const before = of ? { ...of.fields } : undefined;
      const change_type = deletes ? 'DELETE' : of ? 'UPDATE' : 'CREATE';
      const changes = before ? changedFields(before, fields) : {};
      const resource = of ?? {
        ...{ kind, id: answer.id, place: this.places++, fields, deleted: false },
        ...{ created_at: answer.created_at, updated_at: answer.updated_at },
      };
      if (!of) account.resources.push(resource);
      if (deletes) resource.deleted = true;
      else resource.fields = fields;
      resource.updated_at = answer.updated_at;
      if (change_type !== 'UPDATE' || Object.keys(changes).length > 0)
        account.history.push({ entity: kind, entity_id: resource.id, change_type, user_id: caller.userId, changes });
      shows(resource);
    });
  }

  /** What the service shows of a resource is what the model has. */
  sameAs(account: ModelAccount, resource: Resource, shown: Json) {
    const view = viewOf(account, resource, this.now());
    const { reasons_not_servable, ...rest } = shown;
    const comparable = reasons_not_servable
      ? { ...rest, reasons_not_servable: [...reasons_not_servable].sort() }
      : rest;
    expect(Object.fromEntries(Object.keys(view).map((name) => [name, comparable[name]]))).toEqual(view);
  }

  async read(caller: Caller, account: ModelAccount, kind: Kind, id: string, withDeleted: boolean) {
    const answer = await this.send(caller, 'GET', `/12/accounts/${account.id}/${PATHS[kind].path}/${id}`, {
      params: { with_deleted: withDeleted },
    });
    const barred = this.barred(caller, account, false);
    if (barred) return this.refused(answer, barred.problems, barred.status);
    const resource = withDeleted ? account.all(kind).find((each) => each.id === id) : account.find(kind, id);
    if (!resource) return this.refused(answer, [unknown(PATHS[kind].id)]);
    expect(answer.status).toBe(200);
    this.sameAs(account, resource, answer.body.data);
  }

  /** Reads a list to its end, page by page. */
  async list(caller: Caller, account: ModelAccount, kind: Kind, params: RawParams, expected: Resource[]) {
    const path = `/12/accounts/${account.id}/${PATHS[kind].path}`;
    const first = await this.send(caller, 'GET', path, { params: { ...params, with_total_count: true } });
    const barred = this.barred(caller, account, false);
    if (barred) return this.refused(first, barred.problems, barred.status);
    expect([first.status, first.body.errors]).toEqual([200, undefined]);
    expect(first.body.total_count).toBe(expected.length);
    const shown: Json[] = [...first.body.data];
    let cursor = first.body.next_cursor as string | null;
    while (cursor !== null) {
      expect(shown.length % Number(params.count)).toBe(0);
      const { status, body } = await this.send(caller, 'GET', path, { params: { ...params, cursor } });
      expect(status).toBe(200);
      expect(body.data.length).toBeGreaterThan(0);
      shown.push(...body.data);
      cursor = body.next_cursor;
    }
    expect(shown.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expected.forEach((resource, index) => this.sameAs(account, resource, shown[index]));
  }

  /** The account history of one resource is what was done to it. */
  async history(caller: Caller, account: ModelAccount, kind: Kind, id: string) {
    const day = 24 * 3_600_000;
    const hour = (time: number) => `${new Date(time).toISOString().slice(0, 13)}:00:00Z`;
    const params = {
      ...{ entity_type: kind, entity_id: id },
      ...{ start_time: hour(this.started - day), end_time: hour(this.now() + day), count: 1000 },
    };
    const answer = await this.send(caller, 'GET', `/12/accounts/${account.id}/account_history`, { params });
    const role = account.roles.get(caller);
    if (!role) return this.refused(answer, [unknown('account_id')]);
    if (!WRITERS.includes(role)) return this.refused(answer, [['ACTION_NOT_ALLOWED', '']], 403);
    expect(answer.status).toBe(200);
    const shown = answer.body.data.map(({ change_type, change_by, entity, entity_id, changes }: Json) => ({
      ...{
        change_type,
        entity,
        entity_id,
        user_id: change_by.user_id,
        changes: change_type === 'UPDATE' ? changes : {},
      },
    }));
    const expected = account.history
      .filter((change) => change.entity === kind && change.entity_id === id)
      .map((change) => (change.change_type === 'UPDATE' ? change : { ...change, changes: {} }));
    expect(shown).toEqual(expected.reverse());
  }

  readonly started = this.now();

  private environmentOf = (path: string) =>
    this.accounts.find(({ id }) => path.includes(id))?.environment ?? 'production';

  private async send(
    caller: Caller,
    method: string,
    path: string,
    {
      params,
      json,
      key,
      faulty,
      disaster,
    }: {
      params?: RawParams;
      json?: Json;
      key?: string;
      faulty?: { status: number; prefer: string };
      disaster?: Disaster;
    },
  ): Promise<Answer> {
    const headers = { ...(key && { 'idempotency-key': key }), ...(this.namesOfX && { 'x-marquee-names': 'x' }) };
    const said = { target: path, query: params, json: json };
    const { target, query, json: content } = this.namesOfX ? inNamesOfX(said) : said;
    const call = async (more = {}, replica = this.replica): Promise<Answer> => {
      const sending = { query, json: content, headers: { ...headers, ...more }, replica };
      const answer = await caller.api.in(this.environmentOf(path)).call(method, target, sending);
      return this.namesOfX ? { ...answer, body: inOurNames(answer.body) } : answer;
    };
    if (faulty) expect((await call({ prefer: faulty.prefer })).status).toBe(faulty.status);
    if (disaster) await strike(disaster, () => call({}, disaster.replica));
    let answer = await call();
    for (let tries = 0; disaster && isNotYet(answer) && tries < MAX_TRIES; tries++) {
      await pause(TRY_AGAIN_MS);
      answer = await call();
    }
    const made = answer.status < 300 ? [answer.body.data].flat().map(({ id }: Json) => id as string) : [];
    this.sent.push({ method, path, params, json, status: answer.status, made });
    // a PUT is not repeated: the key is for what would act twice
    if (key && method !== 'PUT' && answer.status < 500) {
      const again = await call();
      // a mistake is decided anew; everything else is told again as it was
      expect([again.status, again.body]).toEqual([answer.status, answer.body]);
    }
    return answer;
  }
}

const TRY_AGAIN_MS = 250;
const MAX_TRIES = 120;
/** Whether a client that does not know what became of its request has to ask again. */
const isNotYet = ({ status, body }: Answer) =>
  status === 503 || (status === 409 && body.errors?.[0]?.code === 'IDEMPOTENCY_KEY_IN_USE');

const WRITERS = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
const READERS = [...WRITERS, 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST'];

const sorted = (problems: readonly (readonly string[])[]) =>
  problems.map(([code, parameter]) => `${code} ${parameter}`).sort();

/** An answer has the status of the first of its problems. */
const statusOf = (code = '') => (code.endsWith('NOT_FOUND') ? 404 : 400);

function changedFields(before: Fields, after: Fields) {
  const names = Object.keys(after).filter((name) => !INTERNAL.includes(name));
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name]).map((name) => [name, { old: before[name], new: after[name] }]),
  );
}

/** What the model keeps beside what is shown. */
const INTERNAL = ['start', 'end'];

function viewOf(account: ModelAccount, resource: Resource, now: number): Fields {
  const { kind, id, created_at, updated_at, deleted } = resource;
  const common = { id, created_at, updated_at, deleted };
  const fields = Object.fromEntries(Object.entries(resource.fields).filter(([name]) => !INTERNAL.includes(name)));
  // what is deleted keeps what it last was
  if (deleted) return { ...fields, ...common };
  if (kind !== 'CAMPAIGN' && kind !== 'LINE_ITEM') return { ...fields, ...common };
  const parent = account.parentOf(resource);
  // a line item has what its campaign says
  const standard_delivery = parent?.fields.budget_optimization === 'LINE_ITEM' ? true : null;
  return { ...fields, ...(parent && { standard_delivery }), ...whyNotServed(account, resource, now), ...common };
}
