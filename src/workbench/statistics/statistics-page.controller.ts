import { Get, Res, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Account } from '../../accounts/entities/account.entity.js';
import { queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { Clock } from '../../common/time/clock.js';
import { type Row, rows, type Rows } from '../../common/db/query/rows.js';
import { accountNotFound, invalid } from '../../common/errors/catalogue.js';
import { ApiError } from '../../common/errors/api-error.js';
import { Config } from '../../config/config.js';
import { recentDays, recentHours } from '../../statistics/reports/report.js';
import { StatisticsReports } from '../../statistics/reports/statistics-reports.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { commandFor, needsJob, presentFigures, RANGES, type Range } from './statistics-page.presenter.js';
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

/** Maximum number of campaigns that can be chosen. */
const MAX_CAMPAIGNS = 50;
/** Maximum number of funding instruments whose figures are summed for an account. */
const MAX_FUNDING_INSTRUMENTS = 200;
const USUAL_RANGE: Range = '14d';

/** What accounts delivered, in a browser. */
@SectionController('statistics')
export class StatisticsPageController {
  constructor(
    private readonly accounts: ReadableAccounts,
    private readonly reports: StatisticsReports,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async show(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
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
    const { accounts, more } = await this.accounts.listFor(userId);
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
        ...(account && (await this.figuresOf(account, range, given.campaign))),
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
  private async figuresOf(account: Row<Account>, range: Range, campaignId: string | undefined) {
    const context = { timezone: account.timezone, now: this.clock.timeOf(account)() };
    const window = range === '24h' ? recentHours(24, context) : recentDays(parseInt(range, 10), context);
    const asked = { ...window, groups: ['ENGAGEMENT', 'BILLING'] as const };
    const campaigns = await this.reports.read(
      account,
      { ...asked, granularity: 'TOTAL', entity: 'CAMPAIGN', limit: MAX_CAMPAIGNS },
      context,
    );
    const chosen = campaignId === undefined ? undefined : await this.reports.find(account.id, 'CAMPAIGN', campaignId);
    const entity = chosen ? 'CAMPAIGN' : 'FUNDING_INSTRUMENT';
    const ids = chosen && [chosen.id];
    const report = await this.reports.read(account, { ...asked, entity, ids, limit: MAX_FUNDING_INSTRUMENTS }, context);
    const others = campaigns.entities.filter(({ id }) => id !== chosen?.id);
    return {
      now: context.now.toISOString(),
      campaigns: chosen ? [chosen, ...others] : others,
      moreCampaigns: campaigns.more,
      chosen,
      missing: campaignId && !chosen ? campaignId : undefined,
      ...presentFigures(report, account.timezone),
      command: report.entities.length > 0 ? commandFor({ account, entity, report, range }) : undefined,
    };
  }
}

/** The operation that answers the figures of a range, as the document calls it. */
const operationOf = (range: Range): string => (needsJob(range) ? 'createStatisticsJob' : 'getStatistics');

function rangeOf(given: string | undefined): Range {
  if (given === undefined || given === '') return USUAL_RANGE;
  const found = RANGES.find(({ value }) => value === given);
  if (found) return found.value;
  throw invalid('range', `Expected one of ${RANGES.map(({ value }) => value).join(', ')} for range`, { value: given });
}
