import { inSeconds } from '../../common/time/in-seconds.js';
import { Get, Param, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { SpendingService } from '../../campaigns/spending/spending.service.js';
import { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound, pageNotFound } from '../../common/errors/catalogue.js';
import { queryParametersOf, type SingleFields } from '../../common/http/bodies/single-fields.js';
import { Config } from '../../config/config.js';
import { HOUR_MS } from '../../common/time/days.js';
import { StatisticsReports } from '../../statistics/reports/statistics-reports.service.js';
import { InsideApi, type InsideAnswer, type Item } from '../inside/inside-api.js';
import { RequestsService } from '../journal/requests.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { presentFigures } from '../statistics/statistics-page.presenter.js';
import {
  frameSourceOf,
  idOf,
  imageOf,
  indentedJson,
  linkOf,
  presentItem,
  type Spent,
  type Thumbnail,
} from './accounts-page.presenter.js';
import { kindOf, KINDS, PARENTS, type Kind } from './kinds.js';
import { creationOf } from './remedies.js';

/** Number of items on a page. */
const PAGE = 25;
/** Number of items of each kind that a search shows. */
const FOUND = 10;
const MAX_CHANGES = 20;
/** Days of the statistics of one thing. */
const DAYS = 7;

/** A user at an account of theirs. */
interface AccountVisit extends Visit {
  request: FastifyRequest;
  account: ActingAccount;
  isSandbox: boolean;
}

/** The accounts of a user in a browser, and everything in them, as the API answers it to them. */
@SectionController('accounts')
export class AccountsPageController {
  /** Where thumbnails come from, also those of branches that open later. */
  private readonly origins: readonly string[];

  constructor(
    { baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Config,
    private readonly api: InsideApi,
    private readonly access: AccountAccessService,
    private readonly spending: SpendingService,
    private readonly reports: StatisticsReports,
    private readonly requests: RequestsService,
    private readonly pages: WorkbenchPages,
  ) {
    this.origins = [...new Set([baseUrl, adsBaseUrl, adsSandboxBaseUrl].map(({ origin }) => origin))];
  }

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    const { q, cursor, environment } = queryParametersOf(reply.request);
    const environments = (['sandbox', 'production'] as const).filter((each) => !environment || each === environment);
    const lists = await Promise.all(
      environments.map(async (each) => {
        const params = { count: PAGE, q: q || undefined, cursor: environment && cursor };
        const answer = await this.api.get(reply.request, visit, {
          path: '/12/accounts',
          params,
          sandbox: each === 'sandbox',
        });
        const next = { environment: each, q, cursor: answer.nextCursor ?? undefined };
        return { environment: each, ...answer, next: answer.nextCursor && linkOf('', '', next).slice(2) };
      }),
    );
    const template = 'accounts/accounts';
    await this.pages.show(reply, visit, { section: 'accounts', template, title: 'Accounts', data: { lists, q } });
  }

  /** The root of the tree, or what a search finds. */
  @Get(':account_id')
  async open(@Param('account_id') accountId: string, @Res() reply: FastifyReply) {
    const visit = await this.openAccount(reply, accountId);
    if (!visit) return;
    const search = queryParametersOf(reply.request).search?.trim();
    if (!search) return this.showList(reply, visit, KINDS[0], {});
    const lists = await this.search(visit, search);
    await this.show(reply, visit, 'accounts/search', `Search for ${search.slice(0, 50)}`, { search, lists });
  }

  @Get(':account_id/:kind')
  async listKind(@Param('account_id') accountId: string, @Param('kind') path: string, @Res() reply: FastifyReply) {
    const visit = await this.openAccount(reply, accountId);
    if (visit) await this.showList(reply, visit, requireKind(path), queryParametersOf(reply.request));
  }

  @Get(':account_id/:kind/:item_id')
  async get(
    @Param('account_id') accountId: string,
    @Param('kind') path: string,
    @Param('item_id') id: string,
    @Res() reply: FastifyReply,
  ) {
    const visit = await this.openAccount(reply, accountId);
    if (!visit) return;
    const kind = requireKind(path);
    const answer = kind.isOnlyListed
      ? await this.read(visit, kind.path, { ...kind.always, [kind.ids]: id })
      : await this.read(visit, `${kind.path}/${encodeURIComponent(id)}`, { with_deleted: 'true' });
    const item = answer.items.at(0);
    const more = item && (await this.about(visit, kind, item));
    await this.show(
      reply,
      visit,
      'accounts/item',
      `${kind.one} ${id.slice(0, 50)}`,
      { kind, problem: answer.problem, json: indentedJson(answer.text), ...more },
      item ? 200 : Math.max(answer.status, 404),
    );
  }

  private async openAccount(reply: FastifyReply, accountId: string): Promise<AccountVisit | undefined> {
    const visit = await this.pages.open(reply);
    if (!visit) return undefined;
    const { userId } = visit.session.user;
    const found =
      (await this.access.find('sandbox', accountId, userId)) ??
      (await this.access.find('production', accountId, userId));
    if (!found || found.deletedAt !== null) throw accountNotFound(accountId);
    return { ...visit, request: reply.request, account: found, isSandbox: found.environment === 'sandbox' };
  }

  private read(visit: AccountVisit, path: string, params: Record<string, string | undefined>): Promise<InsideAnswer> {
    const { account, isSandbox, request } = visit;
    return this.api.get(request, visit, { path: `/12/accounts/${account.id}/${path}`, params, sandbox: isSandbox });
  }

  private async showList(reply: FastifyReply, visit: AccountVisit, kind: Kind, given: SingleFields): Promise<void> {
    const parents = Object.fromEntries(PARENTS.map((name) => [name, given[name]]));
    const filters = { ...parents, ...(kind.search && { [kind.search]: given[kind.search] || undefined }) };
    const isWithoutParent = kind.needs !== undefined && !filters[kind.needs];
    const query = { ...kind.always, ...filters, count: `${PAGE}`, cursor: given.cursor };
    const answer = isWithoutParent ? undefined : await this.read(visit, kind.path, query);
    const next = answer?.nextCursor && linkOf(visit.account.id, kind.path, { ...filters, cursor: answer.nextCursor });
    const items = await this.present(visit, kind, answer?.items ?? []);
    const isSearch = kind.search !== undefined && !!filters[kind.search];
    const creation = isSearch
      ? undefined
      : creationOf(kind, parents, { id: visit.account.id, isSandbox: visit.isSandbox });
    const data = { kind, items, next, problem: answer?.problem, isWithoutParent, filters, creation };
    await this.show(reply, visit, 'accounts/list', kind.title, data, answer?.status);
  }

  private async show(
    reply: FastifyReply,
    visit: AccountVisit,
    template: string,
    title: string,
    data: object,
    status?: number,
  ): Promise<void> {
    const { account, isSandbox } = visit;
    const shown = { id: account.id, name: account.name, isSandbox, timezone: account.timezone };
    const kinds = KINDS.filter(({ needs }) => needs === undefined);
    const all = { account: shown, kinds, search: undefined, kind: undefined, ...data };
    await this.pages.show(reply, visit, {
      section: 'accounts',
      template,
      title,
      status,
      data: all,
      embeds: this.origins,
    });
  }

  /** What has this id; if nothing has it, what has a name that begins with this text. */
  private async search(visit: AccountVisit, text: string) {
    const byId = await this.found(visit, kindsWithId(text), ({ ids }) => ({ [ids]: text.toLowerCase() }));
    if (byId.length > 0) return byId;
    const named = KINDS.filter(({ search }) => search !== undefined);
    return this.found(visit, named, ({ search }) => ({ [search!]: text }));
  }

  /** The kinds of which the API answers any items, with these. */
  private async found(visit: AccountVisit, kinds: readonly Kind[], paramsOf: (kind: Kind) => Record<string, string>) {
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const params = { ...kind.always, ...paramsOf(kind), count: `${FOUND}` };
        const { items } = await this.read(visit, kind.path, params);
        return items.length === 0 ? [] : [{ kind, items: await this.present(visit, kind, items) }];
      }),
    );
    return lists.flat();
  }

  private async present(visit: AccountVisit, kind: Kind, items: readonly Item[]) {
    const { account, isSandbox } = visit;
    const [spent, thumbnails] = await Promise.all([
      this.spentBy(account, kind, items),
      this.thumbnailsOf(visit, kind, items),
    ]);
    const shown = { id: account.id, name: account.name, isSandbox };
    return items.map((item) => presentItem(kind, item, shown, { spent, thumbnails }));
  }

  /**
   * What campaigns or line items spent of the budgets that they have, in all and today; undefined for a user who may not
   * read statistics.
   */
  private async spentBy(
    account: ActingAccount,
    { statistics }: Kind,
    items: readonly Item[],
  ): Promise<Spent | undefined> {
    if (statistics !== 'CAMPAIGN' && statistics !== 'LINE_ITEM') return undefined;
    const idsWith = (budget: string) => items.filter((item) => typeof item[budget] === 'number').map(idOf);
    const daily = idsWith('daily_budget_amount_local_micro');
    const column = statistics === 'CAMPAIGN' ? 'campaignId' : 'id';
    const charged = await this.reports.chargedToday(account, column);
    if (!charged) return undefined;
    const limited = idsWith('total_budget_amount_local_micro');
    const total = limited.length === 0 ? new Map() : await this.spending.spentBy(account, statistics, limited);
    return { total, today: new Map(daily.map((id) => [id, charged.get(id) ?? 0])) };
  }

  private async thumbnailsOf(visit: AccountVisit, { path, post }: Kind, items: readonly Item[]) {
    if (path === 'cards') return new Map(items.flatMap((card) => pairOf(idOf(card), imageOf(card))));
    if (post === undefined || items.length === 0) return undefined;
    const posts = [...new Set(items.map((item) => String(item[post])))];
    const query = { post_type: 'PUBLISHED', post_ids: posts.join() };
    const { items: previews } = await this.read(visit, 'post_previews', query);
    const sources = new Map(previews.map(({ post_id, preview }) => [String(post_id), frameSourceOf(preview)]));
    return new Map(
      items.flatMap((item) => {
        const id = String(item[post]);
        const src = sources.get(id);
        return pairOf(idOf(item), src === undefined ? undefined : { src, title: `Post ${id}`, isFrame: true });
      }),
    );
  }

  /** What the page of an item shows besides its JSON. */
  private async about(visit: AccountVisit, kind: Kind, item: Item) {
    const { account, application } = visit;
    const id = idOf(item);
    const [[presented], report, changes, created] = await Promise.all([
      this.present(visit, kind, [item]),
      kind.statistics &&
        this.reports.paidFor(account, DAYS, { entity: kind.statistics, ids: [id], limit: 1 }).catch(unlessUnknown),
      this.changesOf(visit, kind, item),
      this.requests.creating(application.id, account, item.id_str === undefined ? 'id' : 'id_str', id),
    ]);
    return {
      item: presented,
      figures: report && presentFigures(report, account.timezone),
      changes,
      created: created && { id: created.id, method: created.method, path: created.path, status: created.status },
    };
  }

  private async changesOf(visit: AccountVisit, { history }: Kind, { created_at, id }: Item) {
    if (history === undefined) return undefined;
    const hour = (ms: number) => inSeconds(Math.floor(ms / HOUR_MS) * HOUR_MS);
    const { status, items } = await this.read(visit, 'account_history', {
      entity_type: history,
      entity_id: String(id),
      start_time: hour(Date.parse(String(created_at))),
      end_time: hour(visit.account.now().getTime() + HOUR_MS),
      count: `${MAX_CHANGES}`,
    });
    return status < 400 ? items : undefined;
  }
}

/** The kinds that may have a text as an id: every id has a digit, and those of posts and cards have nothing else. */
function kindsWithId(text: string): readonly Kind[] {
  if (!/^[0-9a-zA-Z]{1,30}$/.test(text) || !/\d/.test(text)) return [];
  const isNumber = /^\d+$/.test(text);
  return KINDS.filter(({ needs, hasNumericIds }) => needs === undefined && (isNumber || !hasNumericIds));
}

function requireKind(path: string): Kind {
  const kind = kindOf(path);
  if (!kind) throw pageNotFound();
  return kind;
}

const pairOf = (id: string, thumbnail: Thumbnail | undefined): [string, Thumbnail][] =>
  thumbnail ? [[id, thumbnail]] : [];

/** A deleted thing may have no statistics. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}
