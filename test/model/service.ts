/** Sends what the model has decided about to the service, and compares. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Answer, Json } from '../support/http.js';
import { world } from '../support/app.js';
import { given } from '../support/given.js';
import type { Receiver } from '../support/receiver.js';
import { AccountAccessService } from '../../src/accounts/access/account-access.service.js';
import { ScheduledPostsJob } from '../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { FundingInstrumentsService } from '../../src/campaigns/funding-instruments/funding-instruments.service.js';
import { addCriterion, promoteAccount, promotePosts } from './attachments.js';
import { beyondLimit, createCampaign, updateCampaign } from './campaigns.js';
import { strike, type Disaster } from './disasters.js';
import { sameEvents } from './events.js';
import { KINDS, type Kind } from './kinds.js';
import { createLineItem, updateLineItem, type BidBounds } from './line-items.js';
import { inNamesOfX, inOurNames } from './names.js';
import { changePlain, hasCard, isDue, shownOf } from './plain.js';
import { unknown, type Problem, type RawParams } from './reading.js';
import { whyNotServed } from './serving.js';
import { Snapshots } from './snapshots.js';
import { isRefused, type Acting, type Caller, type Change, type Decision, type Fields } from './world.js';
import type { ModelAccount, Planned, Resource } from './world.js';

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

/** What is done to one resource. */
export interface Operation {
  operation: 'Create' | 'Update' | 'Delete';
  id: string;
  params: RawParams;
}

/** What a request meets; with a key it is sent twice. */
interface Met {
  key?: string;
  fault?: Fault;
  disaster?: Disaster;
}

interface Sending extends Omit<Met, 'fault'> {
  params?: RawParams;
  json?: Json;
  faulty?: { status: number; prefer: string };
}

/** The model beside the service: what was done so far, and the accounts it was done in. */
export class Beside {
  private places = 0;
  /** What scheduled posts said, and on which day. */
  private readonly utterances = new Set<string>();
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
  private decide(acting: Acting, { operation, id, params }: Operation): Decision {
    const { account, kind } = acting;
    if (operation === 'Delete') {
      const of = account.find(kind, id);
      if (of?.fields.scheduled_status === 'SUCCESS') return { problems: [['ACTION_NOT_ALLOWED', KINDS[kind].id]] };
      return of ? { fields: of.fields, of, deletes: true } : { problems: [unknownIn(kind)] };
    }
    const isNew = operation === 'Create';
    if (kind === 'CAMPAIGN') return isNew ? createCampaign(account, params) : updateCampaign(account, id, params);
    if (kind === 'LINE_ITEM')
      return isNew
        ? createLineItem(account, params, this.now(), this.bounds)
        : updateLineItem(account, id, params, this.bounds);
    if (kind === 'PROMOTED_ACCOUNT') return promoteAccount(account, params);
    if (kind === 'TARGETING_CRITERIA') return addCriterion(account, params);
    return changePlain({ ...acting, now: this.now() }, isNew ? undefined : id, params);
  }

  /** Why this caller may not read or write this kind here; undefined if they may. */
  private barred({ caller, account, kind }: Acting, does: 'READS' | 'WRITES'): Problem | undefined {
    const role = account.roles.get(caller);
    if (does === 'WRITES' && !caller.mayWrite) return ['READONLY_CLIENT_APPLICATION', ''];
    if (!role) return unknown('account_id');
    const roles = does === 'READS' ? READERS : KINDS[kind].creative ? CREATIVES : WRITERS;
    return roles.includes(role) ? undefined : ['ACTION_NOT_ALLOWED', ''];
  }

  /** Funding comes and goes; outside the sandbox no request does it. */
  async funding(account: ModelAccount, deletes?: Resource): Promise<void> {
    const { environment, id: accountId, fullUserId } = account;
    const acting = (await world().get(AccountAccessService).find(environment, accountId, fullUserId))!;
    const { id } = deletes
      ? await world().get(FundingInstrumentsService).delete(acting, deletes.id)
      : await given.fundingInstrument({ account: acting });
    await world().caughtUp();
    const change_type = deletes ? 'DELETE' : 'CREATE';
    account.history.push({ entity: 'FUNDING_INSTRUMENT', entity_id: id, change_type, user_id: '', changes: {} });
    if (deletes) deletes.deleted = true;
    else account.add('FUNDING_INSTRUMENT', id, { currency: 'USD', type: 'CREDIT_CARD' }, this.places++);
  }

  /** Posts go live at their minute, unless their card is gone or the same was said on the same day. */
  async publish() {
    for (const account of this.accounts)
      for (const post of account.alive('SCHEDULED_POST').filter(({ fields }) => isDue(fields, this.now()))) {
        const shown = await this.published(account, post.id);
        const { completed_at, post_id, failure_reason, updated_at } = shown;
        const { text, card_uri } = post.fields;
        const said = JSON.stringify([text, card_uri, completed_at.slice(0, 10)]);
        const isRepeated = this.utterances.has(said) && 'DUPLICATE_POST';
        const failure = hasCard(account, card_uri) ? isRepeated : 'INVALID_PARAMETER';
        const scheduled_status = failure ? 'FAILED' : 'SUCCESS';
        if (!failure) this.utterances.add(said);
        expect([failure_reason?.split(':')[0] ?? false, post_id === null]).toEqual([failure, failure !== false]);
        Object.assign(post, {
          fields: { ...post.fields, scheduled_status, completed_at, post_id, failure_reason },
          updated_at,
        });
        this.sameAs(account, post, shown);
        const change_type = failure ? 'FAILED' : 'PUBLISHED';
        account.history.push({ entity: post.kind, entity_id: post.id, change_type, user_id: '', changes: {} });
      }
  }

  /** A scheduled post that is due, once a job has looked after it. */
  private async published(account: ModelAccount, id: string): Promise<Json> {
    await world().get(ScheduledPostsJob).publishDue();
    const { api } = this.callers[0];
    const { body } = await api.in(account.environment).get(`/12/accounts/${account.id}/scheduled_posts/${id}`);
    return body.data.scheduled_status === 'SCHEDULED' ? this.published(account, id) : body.data;
  }

  /** Each change so far is an event. */
  events = (account: ModelAccount) => sameEvents(this.receiver, account, Object.keys(KINDS) as Kind[]);

  /**
   * One write of one resource. With a key it is repeated with that Idempotency-Key. With a fault it is sent before, and meets that;
   * what a PUT did is not known without its answer, so that its fault comes before. With a disaster it is sent before, and perhaps
   * not answered.
   */
  async write(acting: Acting, planning: Operation, { key, fault, disaster }: Met = {}) {
    const { caller, account, kind } = acting;
    const { operation, id, params } = planning;
    const method = { Create: 'POST', Update: 'PUT', Delete: 'DELETE' }[operation];
    const { path } = KINDS[kind];
    const target = `/12/accounts/${account.id}/${path}${operation === 'Create' ? '' : `/${id}`}`;
    const barred = this.barred(acting, 'WRITES');
    const many = kind === 'PROMOTED_POST' && operation === 'Create';
    const decided = many ? promotePosts(account, params) : this.decide(acting, planning);
    const planned = Array.isArray(decided) ? decided : isRefused(decided) ? [] : [decided];
    const problems =
      'problems' in decided ? decided.problems : kind === 'CAMPAIGN' ? beyondLimit(account, planned).flat() : [];
    const applied = fault?.applied === 'AFTER_COMMIT' && key && method !== 'PUT' ? fault.applied : 'BEFORE_COMMIT';
    const prefer = `fault=${fault?.status}; applied=${applied}`;
    const faulty = fault && { status: barred ? statusOf(barred[0]) : fault.status, prefer };
    const answer = await this.send(caller, method, target, { params, key, faulty, disaster });
    if (barred) return this.refused(answer, [barred]);
    if (problems.length > 0) return this.refused(answer, problems);
    const creates = planned.some(({ of }) => !of);
    expect([answer.status, answer.body.errors]).toEqual([creates ? 201 : 200, undefined]);
    this.apply(acting, planned, many ? answer.body.data : [answer.body.data]);
    if (many) expect(answer.body.total_count).toBe(planned.length);
    if (many && creates) this.addTimeline(caller, account, answer.body.data);
  }

  create = (acting: Acting, params: RawParams) => this.write(acting, { operation: 'Create', id: '', params });

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
  async batch(acting: Acting, operations: Operation[], { key, disaster }: Met) {
    const { caller, account, kind } = acting;
    const { path, id: name } = KINDS[kind];
    const json = operations.map(({ operation, id, params }) => ({
      operation_type: operation,
      params: { ...params, ...(operation !== 'Create' && { [name]: id }) },
    }));
    const target = `/12/batch/accounts/${account.id}/${path}`;
    const answer = await this.send(caller, 'POST', target, { json, key, disaster });
    const barred = this.barred(acting, 'WRITES');
    if (barred) return this.refused(answer, [barred]);
    // each operation sees what those before it did
    const copy = account.copy();
    const decided: Decision[] = [];
    // of criteria it is the final set that counts, so what is deleted goes first
    const order = operations.map((_, index) => index);
    if (kind === 'TARGETING_CRITERIA')
      order.sort((a, b) => Number(isDelete(operations[b])) - Number(isDelete(operations[a])) || a - b);
    for (const index of order) {
      const decision = this.decide({ ...acting, account: copy }, operations[index]);
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
    this.apply(acting, decided as Planned[], answer.body.data);
  }

  private refused({ status, body }: Answer, problems: readonly Problem[]) {
    const said = sorted((body.errors ?? []).map(({ code, parameter = '' }: Json) => [code, parameter]));
    expect({ status, said }).toEqual({ status: statusOf(body.errors?.[0]?.code), said: sorted(problems) });
  }

  /** Remembers what the service says it did, which must be what the model decided. */
  private apply({ caller, account, kind }: Acting, planned: Planned[], data: Json[]) {
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
      const resource = of ?? account.add(kind, answer.id, fields, this.places++);
      if (!of) resource.created_at = answer.created_at;
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
    const { reasons_not_servable: reasons, ...rest } = shown;
    const comparable = reasons ? { ...rest, reasons_not_servable: [...reasons].sort() } : rest;
    expect(Object.fromEntries(Object.keys(view).map((name) => [name, comparable[name]]))).toEqual(view);
  }

  async read(acting: Acting, id: string, with_deleted: boolean) {
    const { caller, account, kind } = acting;
    const path = `/12/accounts/${account.id}/${KINDS[kind].path}/${id}`;
    const answer = await this.send(caller, 'GET', path, { params: { with_deleted } });
    const barred = this.barred(acting, 'READS');
    if (barred) return this.refused(answer, [barred]);
    const resource = with_deleted ? account.all(kind).find((each) => each.id === id) : account.find(kind, id);
    if (!resource) return this.refused(answer, [unknownIn(kind)]);
    expect(answer.status).toBe(200);
    this.sameAs(account, resource, answer.body.data);
  }

  /** Reads a list to its end, page by page. */
  async list(acting: Acting, params: RawParams, expected: Resource[]) {
    const { caller, account, kind } = acting;
    const path = `/12/accounts/${account.id}/${KINDS[kind].path}`;
    const first = await this.send(caller, 'GET', path, { params: { ...params, with_total_count: true } });
    const barred = this.barred(acting, 'READS');
    if (barred) return this.refused(first, [barred]);
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
  async history({ caller, account, kind }: Acting, id: string) {
    const day = 24 * 3_600_000;
    const hour = (time: number) => `${new Date(time).toISOString().slice(0, 13)}:00:00Z`;
    const params = {
      ...{ entity_type: kind, entity_id: id },
      ...{ start_time: hour(this.started - day), end_time: hour(this.now() + day), count: 1000 },
    };
    const answer = await this.send(caller, 'GET', `/12/accounts/${account.id}/account_history`, { params });
    const role = account.roles.get(caller);
    if (!role) return this.refused(answer, [unknown('account_id')]);
    if (!WRITERS.includes(role)) return this.refused(answer, [['ACTION_NOT_ALLOWED', '']]);
    expect(answer.status).toBe(200);
    const withChanges = (change: Change) => (change.change_type === 'UPDATE' ? change : { ...change, changes: {} });
    const shown = answer.body.data.map(({ change_type, change_by: { user_id }, entity, entity_id, changes }: Json) =>
      withChanges({ change_type, user_id, entity, entity_id, changes }),
    );
    const expected = account.history.filter((change) => change.entity === kind && change.entity_id === id);
    expect(shown).toEqual(expected.map(withChanges).reverse());
  }

  readonly started = this.now();

  private environmentOf = (path: string) =>
    this.accounts.find(({ id }) => path.includes(id))?.environment ?? 'production';

  private async send(caller: Caller, method: string, path: string, request: Sending): Promise<Answer> {
    const { params, json, key, faulty, disaster } = request;
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
const CREATIVES = [...WRITERS, 'CREATIVE_MANAGER'];
const READERS = [...CREATIVES, 'CAMPAIGN_ANALYST'];

const sorted = (problems: readonly (readonly string[])[]) =>
  problems.map(([code, parameter]) => `${code} ${parameter}`).sort();

const isDelete = ({ operation }: Operation) => operation === 'Delete';
const unknownIn = (kind: Kind) => unknown(KINDS[kind].id, KINDS[kind].unknown);

/** An answer has the status of the first of its problems. */
const statusOf = (code = '') => (code.endsWith('NOT_FOUND') ? 404 : FORBIDDEN.includes(code) ? 403 : 400);
const FORBIDDEN = ['ACTION_NOT_ALLOWED', 'READONLY_CLIENT_APPLICATION'];

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
  if (deleted || (kind !== 'CAMPAIGN' && kind !== 'LINE_ITEM')) return { ...fields, ...shownOf(resource), ...common };
  const parent = account.parentOf(resource);
  // a line item has what its campaign says
  const standard_delivery = parent?.fields.budget_optimization === 'LINE_ITEM' ? true : null;
  return { ...fields, ...(parent && { standard_delivery }), ...whyNotServed(account, resource, now), ...common };
}
