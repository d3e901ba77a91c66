/** Sends what the model has decided about to the service, and compares. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Answer, Json } from '../support/http.js';
import { world } from '../support/app.js';
import { given } from '../support/given.js';
import { sha256 } from '../support/people.js';
import { AccountAccessService } from '../../src/accounts/access/account-access.service.js';
import { SizeAudiencesJob } from '../../src/audiences/audience-sizes/size-audiences.job.js';
import { ScheduledPostsJob } from '../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { FundingInstrumentsService } from '../../src/campaigns/funding-instruments/funding-instruments.service.js';
import { promotePosts } from './attachments.js';
import { upload, type Upload } from './audiences.js';
import { beyondLimit } from './campaigns.js';
import { strike, type Disaster } from '../support/disasters.js';
import { KINDS, type Kind } from './kinds.js';
import type { BidBounds } from './line-items.js';
import { inNamesOfX, inOurNames } from './names.js';
import { hasCard } from './cards.js';
import { isDue } from './creatives.js';
import { changePlain, rulesOf } from './plain.js';
import { forbidden, unknown, type Problem, type RawParams } from './reading.js';
import { whyNotServed } from './serving.js';
import { uploaded } from './uploads.js';
import type { Webhooks } from './webhooks.js';
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

export type SnapshotStep = 'SAVE' | 'RESTORE' | 'RESET';

type Job = () => Promise<unknown>;
type Request = Omit<Met, 'fault'> &
  Partial<Pick<Sent, 'params' | 'json'>> & { faulty?: { status: number; prefer: string } };

/** What a request meets; with a key it is sent twice. */
interface Met {
  key?: string;
  fault?: Fault;
  disaster?: Disaster;
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
    readonly webhooks: Webhooks,
  ) {}

  private now = () => world().clock.now().getTime();

  /** What an operation would do in an account as it is. */
  private decide(acting: Acting, { operation, id, params }: Operation): Decision {
    const { account, kind } = acting;
    if (operation === 'Delete') {
      const of = account.find(kind, id);
      if (of && rulesOf(kind).kept?.(of, account)) return { problems: [forbidden(KINDS[kind].id)] };
      return of ? { fields: of.fields, of, deletes: true } : { problems: [unknownIn(kind)] };
    }
    const now = this.now();
    return changePlain({ ...acting, now, bounds: this.bounds }, operation === 'Create' ? undefined : id, params);
  }

  /** Why this caller may not do this with this kind here. */
  private barred({ caller, account, kind }: Acting, does: keyof typeof MAY): Problem[] {
    const role = account.roles.get(caller);
    if (does === 'WRITES' && !caller.mayWrite) return [['READONLY_CLIENT_APPLICATION', '']];
    if (!role) return [unknown('account_id')];
    const roles = MAY[does === 'WRITES' && KINDS[kind].creative ? 'CREATES' : does];
    return roles.includes(role) ? [] : [forbidden('')];
  }

  /** Why nobody may below what these name. */
  private closed({ account, kind }: Acting, params: RawParams): Problem[] {
    const { parent, isBelow } = KINDS[kind];
    if (!isBelow) return [];
    const above = account.find(parent!, params[KINDS[parent!].id]);
    if (above && !rulesOf(parent!).kept?.(above, account)) return [];
    return [(above ? forbidden : unknown)(KINDS[parent!].id)];
  }

  /** Funding comes and goes; outside the sandbox no request does it. */
  async funding(account: ModelAccount, deletes?: Resource): Promise<void> {
    const { environment, id: accountId, fullUserId } = account;
    const acting = (await world().get(AccountAccessService).find(environment, accountId, fullUserId))!;
    const { id } = deletes
      ? await world().get(FundingInstrumentsService).delete(acting, deletes.id)
      : await given.fundingInstrument({ account: acting });
    await world().caughtUp();
    const funding = deletes ?? account.add('FUNDING_INSTRUMENT', id, { currency: 'USD' }, this.places++);
    funding.deleted = deletes !== undefined;
    account.record(funding, deletes ? 'DELETE' : 'CREATE');
  }

  /** What the snapshot of the sandbox has, if there is one. */
  private saved: Resource[] | undefined;

  /** A restored account has what it had, with the same ids, and nothing else; a reset one has nothing. History and events know of neither. */
  async snapshot(step: SnapshotStep): Promise<void> {
    const account = this.accounts.find(({ environment }) => environment === 'sandbox')!;
    const call = async (method: string, path: string, form?: Record<string, string>) =>
      (await this.callers[0].api.call(method, `/workbench/${path}`, { form, replica: this.replica })).status;
    if (step === 'SAVE') {
      expect(await call('PUT', 'snapshots/model', { account_ids: account.id })).toBe(this.saved ? 200 : 201);
      this.saved = account.resources.map((each) => ({ ...each }));
    } else if (step === 'RESTORE') {
      expect(await call('POST', 'snapshots/model/restore')).toBe(this.saved ? 200 : 404);
      if (this.saved) account.become(this.saved);
    } else {
      expect(await call('POST', 'reset', { account_ids: account.id, to: 'EMPTY' })).toBe(200);
      account.become([]);
    }
  }

  /** Posts go live at their minute, unless their card is gone or the same was said on the same day. */
  async publish() {
    for (const account of this.accounts)
      for (const post of account.alive('SCHEDULED_POST').filter(({ fields }) => isDue(fields, this.now()))) {
        const isWaiting = ({ scheduled_status: status }: Json) => status === 'SCHEDULED';
        const publish = () => world().get(ScheduledPostsJob).publishDue();
        const shown = await this.settled(account, `scheduled_posts/${post.id}`, isWaiting, publish);
        const { completed_at, post_id, failure_reason, updated_at } = shown;
        const { text, card_uri } = post.fields;
        const said = JSON.stringify([text, card_uri, completed_at.slice(0, 10)]);
        const isRepeated = this.utterances.has(said) && 'DUPLICATE_POST';
        const failure = hasCard(account, card_uri) ? isRepeated : 'INVALID_PARAMETER';
        const scheduled_status = failure ? 'FAILED' : 'SUCCESS';
        if (!failure) this.utterances.add(said);
        expect([failure_reason?.split(':')[0] ?? false, post_id === null]).toEqual([failure, failure !== false]);
        post.fields = { ...post.fields, scheduled_status, completed_at, post_id, failure_reason };
        post.updated_at = updated_at;
        this.sameAs(account, post, shown);
        account.record(post, failure ? 'FAILED' : 'PUBLISHED');
      }
  }

  /** What is shown below an account, once a job has looked after it. */
  private async settled(account: ModelAccount, path: string, isPending: (shown: Json) => boolean, job: Job) {
    const { api } = this.callers[0];
    for (;;) {
      await job();
      // reads do not wait for what jobs write
      await world().caughtUp();
      const { body } = await api.in(account.environment).get(`/12/accounts/${account.id}/${path}`);
      if (!isPending(body.data)) return body.data;
    }
  }

  /**
   * One write of one resource. With a key it is repeated with that Idempotency-Key. With a fault it is sent before, and meets that;
   * what a PUT did is not known without its answer, so that its fault comes before. With a disaster it is sent before, and perhaps
   * not answered.
   */
  async write(acting: Acting, planning: Operation, { key, fault, disaster }: Met = {}) {
    const { caller, account, kind } = acting;
    const { operation, id, params } = planning;
    const method = { Create: 'POST', Update: 'PUT', Delete: 'DELETE' }[operation];
    const [path, sent] = placed(acting, params);
    const target = operation === 'Create' ? path : `${path}/${id}`;
    const barred = this.barred(acting, 'WRITES');
    const many = kind === 'PROMOTED_POST' && operation === 'Create';
    const decided = many ? promotePosts(account, params) : this.decide(acting, planning);
    const planned = Array.isArray(decided) ? decided : isRefused(decided) ? [] : [decided];
    const problems =
      'problems' in decided ? decided.problems : kind === 'CAMPAIGN' ? beyondLimit(account, planned).flat() : [];
    const applied = fault?.applied === 'AFTER_COMMIT' && key && method !== 'PUT' ? fault.applied : 'BEFORE_COMMIT';
    const prefer = `fault=${fault?.status}; applied=${applied}`;
    const faulty = fault && { status: barred.length > 0 ? statusOf(barred[0][0]) : fault.status, prefer };
    const saying = KINDS[kind].json && operation !== 'Delete' ? { json: jsonOf(sent) } : { params: sent };
    const answer = await this.send(caller, method, target, { ...saying, key, faulty, disaster });
    const closed = operation === 'Delete' ? this.closed(acting, params) : [];
    if (this.refuses(answer, barred, closed, problems)) return;
    const creates = planned.some(({ of }) => !of);
    const joins = kind === 'LIBRARY_MEDIA' && (creates || planned[0].of?.deleted);
    expect(answer.status).toBe(creates ? 201 : 200);
    this.apply(acting, planned, many ? answer.body.data : [answer.body.data]);
    if (many) expect(answer.body.total_count).toBe(planned.length);
    if (many && creates) await this.addTimeline(acting, answer.body.data[0]);
    if (joins) await this.addAccountMedia(acting, answer.body.data);
  }

  create = (acting: Acting, params: RawParams) => this.write(acting, { operation: 'Create', id: '', params });

  /** A post on a line item for an account shows in the timeline from then on. */
  private async addTimeline(acting: Acting, { line_item_id }: Json) {
    const of = acting.account.find('LINE_ITEM', line_item_id)!;
    const old = of.fields.placements as string[];
    if (of.fields.product_type !== 'PROMOTED_ACCOUNT' || old.includes('PLATFORM_TIMELINE')) return;
    const item = { ...acting, kind: 'LINE_ITEM' as const };
    const { body } = await this.send(acting.caller, 'GET', `${placed(item)[0]}/${of.id}`);
    const fields = { ...of.fields, placements: [...old, 'PLATFORM_TIMELINE'] };
    this.apply(item, [{ of, fields }], [body.data]);
  }

  /** What joins the library is an advertisement by itself, if it fits. A restarted service shows its file at another port. */
  private async addAccountMedia(acting: Acting, { media_key: key, media_url: url }: Json) {
    const { account, caller } = acting;
    const { creative_type } = uploaded(account, key)!;
    const isOne = ({ fields }: Resource) => fields.of === key;
    if (!creative_type || account.alive('ACCOUNT_MEDIA').some(isOne)) return;
    const media = { ...acting, kind: 'ACCOUNT_MEDIA' as const };
    const { body } = await this.send(caller, 'GET', placed(media)[0], { params: { count: 1 } });
    const file = expect.stringContaining(new URL(url as string).pathname) as unknown;
    const [video_id, media_url] = creative_type === 'PREROLL' ? [key, null] : [null, file];
    this.apply(media, [{ fields: { of: key, creative_type, video_id, media_url } }], body.data);
  }

  /** People come into an audience and leave it; some time later they are counted. */
  async upload(acting: Acting, id: string, uploads: Upload[]) {
    const { caller, account } = acting;
    const path = `custom_audiences/${id}`;
    const json = uploads.map(({ operation_type, first, count }) => ({
      operation_type,
      params: { users: Array.from({ length: count }, (_, at) => ({ email: [sha256(`${first + at}`)] })) },
    }));
    const answer = await this.send(caller, 'POST', `/12/accounts/${account.id}/${path}/users`, { json });
    const of = account.find('CUSTOM_AUDIENCE', id);
    const mayNot = of && account.levelOf(of) === 'READ_ONLY' ? [forbidden('custom_audience_id')] : [];
    if (this.refuses(answer, this.barred(acting, 'WRITES'), of ? mayNot : [unknownIn(acting.kind)])) return;
    const total_count = uploads.reduce((sum, { count }) => sum + count, 0);
    expect([answer.status, answer.body.data]).toEqual([200, { success_count: total_count, total_count }]);
    const isUncounted = (each: Json) => each.reasons_not_targetable.includes('PROCESSING');
    const shown = await this.settled(account, path, isUncounted, async () => {
      await world().pass(10_000);
      await world().get(SizeAudiencesJob).sizeDue();
    });
    this.apply(acting, [upload(of!, uploads)], [shown]);
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
    if (this.refuses(answer, this.barred(acting, 'WRITES'))) return;
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
      const count = 1 + problems.findIndex((each) => each.length > 0);
      const { operation_errors: all = [] } = answer.body;
      const expected = { status: 400, all: operations.length, said: problems.slice(0, count).map(sorted) };
      return expect({ status: answer.status, all: all.length, said: all.slice(0, count).map(told) }).toEqual(expected);
    }
    expect([answer.status, answer.body.errors, answer.body.operation_errors]).toEqual([200, undefined, undefined]);
    this.apply(acting, decided as Planned[], answer.body.data);
  }

  /** Whether the service refuses: it must because of the first of these that there are. */
  private refuses({ status, body }: Answer, ...reasons: (readonly Problem[])[]): boolean {
    const problems = reasons.find((each) => each.length > 0) ?? [];
    const expected = problems.length > 0 ? statusOf(body.errors?.[0]?.code) : status;
    expect({ status, said: told(body.errors) }).toEqual({ status: expected, said: sorted(problems) });
    return problems.length > 0;
  }

  /** Remembers what the service says it did, which must be what the model decided. */
  private apply({ caller, account, kind }: Acting, planned: Planned[], data: Json[]) {
    expect(data).toHaveLength(planned.length);
    planned.forEach(({ of: decidedOn, fields, deletes, exists }, index) => {
      const answer = data[index];
      // a batch was decided in a copy, and an audience may be another account's
      const isOne = ({ id }: Resource) => id === decidedOn?.id;
      const home = [account, ...account.partners].find(({ resources }) => resources.some(isOne)) ?? account;
      // of two operations that say the same, the second one is about what the first one made
      const of = home.resources.find(exists ? ({ id }) => id === answer.id : isOne);
      const resource = of ?? home.add(kind, idIn(answer), fields, this.places++);
      if (!exists) {
        const changes = of ? changedFields(of.fields, fields) : {};
        const isToldOf = !of || deletes || of.deleted || Object.keys(changes).length > 0;
        if (!of) resource.created_at = answer.created_at;
        resource.deleted = deletes === true;
        if (!deletes) resource.fields = fields;
        resource.updated_at = answer.updated_at;
        // an audience can be targeted now, or cannot any more
        const change = deletes ? 'DELETE' : !of ? 'CREATE' : 'targetable' in changes ? 'STATUS_CHANGE' : 'UPDATE';
        if (isToldOf) home.record(resource, change, caller, changes);
      }
      this.sameAs(account, resource, answer);
      // a deleted audience is shared with nobody, which nothing tells
      if (deletes) for (const each of home.below('AUDIENCE_PERMISSION', resource)) each.deleted = true;
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
    const own = with_deleted ? account.all(kind).find((each) => each.id === id) : undefined;
    const resource = own ?? account.find(kind, id);
    if (this.refuses(answer, this.barred(acting, 'READS'), resource ? [] : [unknownIn(kind)])) return;
    this.sameAs(account, resource!, answer.body.data);
  }

  /** Reads a list to its end, page by page. */
  async list(acting: Acting, asked: RawParams, expected: Resource[]) {
    const { caller, account } = acting;
    const [path, params] = placed(acting, asked);
    const first = await this.send(caller, 'GET', path, { params: { ...params, with_total_count: true } });
    if (this.refuses(first, this.barred(acting, 'READS'), this.closed(acting, asked))) return;
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
    expect(shown.map(idIn)).toEqual(expected.map(({ id }) => id));
    expected.forEach((resource, index) => this.sameAs(account, resource, shown[index]));
  }

  /** The account history of one resource is what was done to it. */
  async history(acting: Acting, id: string) {
    const { caller, account, kind } = acting;
    const day = 24 * 3_600_000;
    const hour = (time: number) => `${new Date(time).toISOString().slice(0, 13)}:00:00Z`;
    const params = {
      ...{ entity_type: kind, entity_id: id },
      ...{ start_time: hour(this.started - day), end_time: hour(this.now() + day), count: 1000 },
    };
    const answer = await this.send(caller, 'GET', `/12/accounts/${account.id}/account_history`, { params });
    if (this.refuses(answer, this.barred(acting, 'AUDITS'))) return;
    const withChanges = (change: Change) => (change.change_type === 'UPDATE' ? change : { ...change, changes: {} });
    const shown = answer.body.data.map(({ change_type, change_by: { user_id }, entity, entity_id, changes }: Json) =>
      withChanges({ change_type, user_id, entity, entity_id, changes }),
    );
    const expected = account.history.filter((change) => change.entity === kind && change.entity_id === id);
    expect(shown).toEqual(expected.map(withChanges).reverse());
  }

  readonly started = this.now();

  private async send(caller: Caller, method: string, path: string, request: Request = {}): Promise<Answer> {
    const { params, json, key, faulty, disaster } = request;
    const headers = { ...(key && { 'idempotency-key': key }), ...(this.namesOfX && { 'x-marquee-names': 'x' }) };
    const said = { target: path, query: params, json: json };
    const { target, query, json: content } = this.namesOfX ? inNamesOfX(said) : said;
    const call = async (more = {}, replica = this.replica): Promise<Answer> => {
      const sending = { query, json: content, headers: { ...headers, ...more }, replica };
      const { environment } = this.accounts.find(({ id }) => path.includes(id))!;
      const answer = await caller.api.in(environment).call(method, target, sending);
      return this.namesOfX ? { ...answer, body: inOurNames(answer.body) } : answer;
    };
    if (faulty) expect((await call({ prefer: faulty.prefer })).status).toBe(faulty.status);
    if (disaster) await strike(disaster, () => call({}, disaster.replica));
    let answer = await call();
    for (let tries = 0; disaster && isNotYet(answer) && tries < MAX_TRIES; tries++) {
      await pause(TRY_AGAIN_MS);
      answer = await call();
    }
    const made = answer.status < 300 ? [answer.body.data].flat().map(idIn) : [];
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
const MAY = { READS: [...CREATIVES, 'CAMPAIGN_ANALYST'], WRITES: WRITERS, CREATES: CREATIVES, AUDITS: WRITERS };

const sorted = (problems: readonly (readonly string[])[]) =>
  problems.map(([code, parameter]) => `${code} ${parameter}`).sort();

/** The path of a kind's list, and the parameters that are not in it. */
function placed({ account, kind }: Acting, { ...params }: RawParams = {}): [path: string, params: RawParams] {
  const { path, parent, isBelow } = KINDS[kind];
  if (!isBelow) return [`/12/accounts/${account.id}/${path}`, params];
  const { path: above, id } = KINDS[parent!];
  const under = params[id];
  delete params[id];
  return [`/12/accounts/${account.id}/${above}/${under}/${path}`, params];
}

/** The members of a body: what is JSON itself is no text in it. */
const jsonOf = (params: RawParams): Json =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const isJson = typeof value === 'string' && value.startsWith('[');
      return [name, isJson ? (JSON.parse(value) as unknown) : value];
    }),
  );

const told = (errors: Json[] = []) => sorted(errors.map(({ code, parameter = '' }) => [code, parameter]));
const isDelete = ({ operation }: Operation) => operation === 'Delete';
const unknownIn = (kind: Kind) => unknown(KINDS[kind].id, KINDS[kind].unknown);

/** Media of a library have no other id than their keys. */
const idIn = ({ id, media_key }: Json): string => id ?? media_key;

/** An answer has the status of the first of its problems. */
const statusOf = (code = '') => (code.endsWith('NOT_FOUND') ? 404 : FORBIDDEN.includes(code) ? 403 : 400);
const FORBIDDEN = ['ACTION_NOT_ALLOWED', 'READONLY_CLIENT_APPLICATION'];

function changedFields(before: Fields, after: Fields) {
  const names = Object.keys(after).filter((name) => !INTERNAL.includes(name));
  const changes = names.map((name) => [name, { old: before[name] ?? null, new: after[name] ?? null }] as const);
  return Object.fromEntries(changes.filter(([, each]) => JSON.stringify(each.old) !== JSON.stringify(each.new)));
}

/** What the model keeps beside what is shown. */
const INTERNAL = ['as_user_id', 'people', 'of'];

function viewOf(account: ModelAccount, resource: Resource, now: number): Fields {
  const { kind, id, created_at, updated_at, deleted } = resource;
  const common = { ...(kind !== 'LIBRARY_MEDIA' && { id }), created_at, updated_at, deleted };
  const fields = Object.fromEntries(Object.entries(resource.fields).filter(([name]) => !INTERNAL.includes(name)));
  // what is deleted keeps what it last was
  if (deleted || (kind !== 'CAMPAIGN' && kind !== 'LINE_ITEM'))
    return { ...fields, ...rulesOf(kind).shown?.(resource, account), ...common };
  const parent = account.parentOf(resource);
  // a line item has what its campaign says
  const standard_delivery = parent?.fields.budget_optimization === 'LINE_ITEM' ? true : null;
  return { ...fields, ...(parent && { standard_delivery }), ...whyNotServed(account, resource, now), ...common };
}
