import { inSeconds } from '../../common/time/in-seconds.js';
import { Get, Res, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Account } from '../../accounts/entities/account.entity.js';
import { queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { Clock } from '../../common/time/clock.js';
import { type Row, rows, type Rows } from '../../common/db/query/rows.js';
import { hasAdsAccess } from '../../auth/guards/endpoint-policy.js';
import { accountNotFound, invalid, noAdsAccess } from '../../common/errors/catalogue.js';
import { ApiError } from '../../common/errors/api-error.js';
import { Config } from '../../config/config.js';
import { localTime, recentDays, recentHours } from '../../statistics/reports/report.js';
import { StatisticsReports } from '../../statistics/reports/statistics-reports.service.js';
import { InsideApi } from '../inside/inside-api.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { presentCampaigns, presentPace, presentSegments, type CampaignReach } from './campaign-figures.presenter.js';
import { budgetsOf, type Budgeted } from './pacing.js';
import {
  commandFor,
  needsJob,
  presentFigures,
  RANGES,
  SEGMENTS,
  type Range,
  type SegmentChoice,
} from './statistics-page.presenter.js';
import { DataSource } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import type { Role } from '../../accounts/access/roles.js';
import { PAID_STATISTICS_READ } from '../../statistics/statistics.permissions.js';

/** Maximum number of accounts that the page lists. */
const MAX_ACCOUNTS = 50;

/** Finds the accounts whose statistics a user may read. */
@Injectable()
export class ReadableAccounts {
  constructor(private readonly db: DataSource) {}

  /** The first accounts, those of the sandbox first, and whether there are more. */
  async listFor(userId: string): Promise<{ accounts: Row<Account>[]; more: boolean }> {
    const first = (environment: Account['environment']) =>
      this.of(userId)
        .where('environment', environment)
        .orderBy('id')
        .limit(MAX_ACCOUNTS + 1)
        .getMany();
    const [sandbox, production] = await Promise.all([first('sandbox'), first('production')]);
    const accounts = [...sandbox, ...production];
    return { accounts: accounts.slice(0, MAX_ACCOUNTS), more: accounts.length > MAX_ACCOUNTS };
  }

  /** An account of either environment; undefined for any that the user may not read. */
  find(userId: string, accountId: string): Promise<Row<Account> | undefined> {
    return this.of(userId).where('id', accountId).getOne();
  }

  private of(userId: string): Rows<Account> {
    const memberships = rows(this.db.manager, Membership)
      .where('userId', userId)
      .whereIn('role', PAID_STATISTICS_READ.roles as Role[]);
    return rows(this.db.manager, Account).whereInSubquery('id', memberships, 'accountId');
  }
}

/** What is read of campaigns, and what is also counted for funding instruments. */
const SUMMED_GROUPS = ['ENGAGEMENT', 'BILLING'] as const;
const GROUPS = [...SUMMED_GROUPS, 'WEB_CONVERSION', 'MOBILE_CONVERSION'] as const;
/** Maximum number of campaigns that can be chosen. */
const MAX_CAMPAIGNS = 50;
/** Maximum number of funding instruments whose figures are summed for an account. */
const MAX_FUNDING_INSTRUMENTS = 200;
/** Number of campaigns whose figures and reach are shown: the API answers the reach of so many. */
const LISTED_CAMPAIGNS = 20;
/** Maximum number of line items whose budgets and flights are read. */
const MAX_BUDGETS = 200;
const USUAL_RANGE: Range = '14d';

/** What accounts delivered, in a browser. */
@SectionController('statistics')
export class StatisticsPageController {
  constructor(
    private readonly accounts: ReadableAccounts,
    private readonly reports: StatisticsReports,
    private readonly api: InsideApi,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async show(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    if (!hasAdsAccess(visit.application, {})) return this.send(reply, visit, {}, noAdsAccess());
    try {
      await this.send(reply, visit, queryParametersOf(reply.request));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.send(reply, visit, {}, error);
    }
  }

  private async send(
    reply: FastifyReply,
    visit: Visit,
    given: Record<string, string | undefined>,
    error?: ApiError,
  ): Promise<void> {
    const { userId } = visit.session.user;
    const range = rangeOf(given.range);
    const segment = segmentOf(given.segment);
    const { accounts, more } = hasAdsAccess(visit.application, {})
      ? await this.accounts.listFor(userId)
      : { accounts: [], more: false };
    const account = given.account ? await this.accountOf(userId, given.account) : await this.mostTelling(accounts);
    await this.pages.show(reply, visit, {
      section: 'statistics',
      template: 'statistics/statistics',
      title: 'Statistics',
      status: error?.status,
      isLive: account !== undefined,
      data: {
        accounts: account && !accounts.some(({ id }) => id === account.id) ? [account, ...accounts] : accounts,
        more,
        account,
        ranges: RANGES,
        range,
        hasJob: needsJob(range),
        reference: this.config.docs ? `${visit.session.prefix}/docs#/Statistics/${operationOf(range)}` : undefined,
        hasDelivery: this.config.delivery === 'simulated',
        error: error?.message,
        segments: SEGMENTS,
        segment,
        ...(account && (await this.figuresOf({ reply, visit, account }, { range, segment }, given.campaign))),
      },
    });
  }

  private async accountOf(userId: string, id: string): Promise<Row<Account>> {
    const account = await this.accounts.find(userId, id);
    if (!account) throw accountNotFound(id);
    return account;
  }

  /** The first account that ever served, or the first one. */
  private async mostTelling(accounts: readonly Row<Account>[]): Promise<Row<Account> | undefined> {
    const served = await this.reports.served(accounts.map(({ id }) => id));
    return accounts.find(({ id }) => served.has(id)) ?? accounts.at(0);
  }

  /** The figures of a campaign, or of everything that the funding instruments of the account pay for. */
  private async figuresOf(
    shown: ShownAccount,
    { range, segment }: { range: Range; segment: SegmentChoice },
    campaignId: string | undefined,
  ) {
    const { account } = shown;
    const context = { timezone: account.timezone, now: this.clock.timeOf(account)() };
    const window = range === '24h' ? recentHours(24, context) : recentDays(parseInt(range, 10), context);
    const asked = { ...window, groups: GROUPS };
    const campaigns = await this.reports.read(account, { ...asked, entity: 'CAMPAIGN', limit: MAX_CAMPAIGNS }, context);
    const chosen = campaignId === undefined ? undefined : await this.reports.find(account.id, 'CAMPAIGN', campaignId);
    const entity = chosen ? 'CAMPAIGN' : 'FUNDING_INSTRUMENT';
    const ids = chosen && [chosen.id];
    const groups = chosen ? GROUPS : SUMMED_GROUPS;
    const limit = MAX_FUNDING_INSTRUMENTS;
    const report = await this.reports.read(account, { ...asked, groups, entity, ids, limit }, context);
    const others = campaigns.entities.filter(({ id }) => id !== chosen?.id);
    const figures = presentFigures(report, account.timezone);
    const { currency } = figures;
    const place = { ...context, currency };
    const detailed = chosen ? report : campaigns;
    const detailedIds = detailed.entities.map(({ id }) => id);
    const [{ reaches, reachProblem }, { budgets, more: moreBudgets }, segmented] = await Promise.all([
      this.reachOf(shown, detailedIds.slice(0, LISTED_CAMPAIGNS), detailed.bounds),
      this.budgetsOf(shown, detailedIds),
      segment === '' || report.entities.length === 0
        ? undefined
        : this.reports.read(
            account,
            {
              ...asked,
              ...{ granularity: 'TOTAL', groups: SUMMED_GROUPS, entity, limit, segmentation: { type: segment } },
              ids: report.entities.map(({ id }) => id),
            },
            context,
          ),
    ]);
    return {
      now: context.now.toISOString(),
      localNow: localTime(context.now.getTime(), account.timezone),
      choices: chosen ? [chosen, ...others] : others,
      moreCampaigns: campaigns.more,
      chosen,
      missing: campaignId && !chosen ? campaignId : undefined,
      ...figures,
      ...presentCampaigns(detailed, place, { reaches, listed: LISTED_CAMPAIGNS }),
      counted: detailed.entities.length,
      unlisted: Math.max(0, detailed.entities.length - LISTED_CAMPAIGNS) + (chosen ? 0 : campaigns.more),
      reachProblem,
      pace: presentPace(detailed, budgets, place),
      moreBudgets,
      divided: segmented && presentSegments(segmented, currency),
      command: report.entities.length > 0 ? commandFor({ account, entity, report, range }) : undefined,
    };
  }

  private read({ reply, visit, account }: ShownAccount, path: string, params: Record<string, string>) {
    return this.api.get(reply.request, visit, { path, params, sandbox: account.environment === 'sandbox' });
  }

  /** The reach of campaigns as the API answers it, or why it does not: an account may not have the feature. */
  private async reachOf(
    shown: ShownAccount,
    ids: readonly string[],
    bounds: readonly number[],
  ): Promise<{ reaches: ReadonlyMap<string, CampaignReach>; reachProblem?: string }> {
    if (ids.length === 0) return { reaches: new Map() };
    const [start_time, end_time] = [bounds[0], bounds.at(-1)!].map(inSeconds);
    const path = `/12/stats/accounts/${shown.account.id}/reach/campaigns`;
    const { items, problem } = await this.read(shown, path, { campaign_ids: ids.join(), start_time, end_time });
    return {
      reaches: new Map(items.map((item) => [String(item.id), item as unknown as CampaignReach])),
      reachProblem: problem,
    };
  }

  /** The budgets of campaigns, or of their line items if these have the budgets, with their flights. */
  private async budgetsOf(
    shown: ShownAccount,
    ids: readonly string[],
  ): Promise<{ budgets: Budgeted[]; more: boolean }> {
    if (ids.length === 0) return { budgets: [], more: false };
    const path = `/12/accounts/${shown.account.id}`;
    const campaign_ids = ids.join();
    const [campaigns, lineItems] = await Promise.all([
      this.read(shown, `${path}/campaigns`, { campaign_ids, count: `${MAX_CAMPAIGNS}` }),
      this.read(shown, `${path}/line_items`, { campaign_ids, count: `${MAX_BUDGETS}` }),
    ]);
    return { budgets: budgetsOf(campaigns.items, lineItems.items), more: lineItems.nextCursor !== null };
  }
}

/** The account of a page. */
interface ShownAccount {
  reply: FastifyReply;
  visit: Visit;
  account: Row<Account>;
}

/** The operation that answers the figures of a range, as the document calls it. */
const operationOf = (range: Range): string => (needsJob(range) ? 'createStatisticsJob' : 'getStatistics');

function segmentOf(given: string | undefined): SegmentChoice {
  const found = SEGMENTS.find(({ value }) => value === (given ?? ''));
  if (found) return found.value;
  const allowed = SEGMENTS.flatMap(({ value }) => value || []).join(', ');
  throw invalid('segment', `Expected one of ${allowed} for segment`, { value: given });
}

function rangeOf(given: string | undefined): Range {
  if (given === undefined || given === '') return USUAL_RANGE;
  const found = RANGES.find(({ value }) => value === given);
  if (found) return found.value;
  throw invalid('range', `Expected one of ${RANGES.map(({ value }) => value).join(', ')} for range`, { value: given });
}
