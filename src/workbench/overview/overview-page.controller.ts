import { Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { AccessTokenQueries } from '../../auth/credentials/access-token.queries.js';
import { GrantQueries } from '../../auth/grants/grant.queries.js';
import { ReplayProtection } from '../../auth/replay/replay-protection.js';
import { isPerToken, windowOwner } from '../../auth/guards/endpoint-policy.js';
import { amountText } from '../../campaigns/money.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/days.js';
import { Config } from '../../config/config.js';
import type { QuotaName } from '../../config/quotas.js';
import { StatisticsReports } from '../../statistics/reports/statistics-reports.service.js';
import { DeliveriesService } from '../../webhooks/deliveries/deliveries.service.js';
import { WebhooksService } from '../../webhooks/endpoints/webhooks.service.js';
import { TestClocksService } from '../clocks/test-clocks.service.js';
import { FaultsService } from '../faults/faults.service.js';
import { InsideApi, type Item } from '../inside/inside-api.js';
import { presentLine } from '../journal/requests-page.presenter.js';
import { RequestsService } from '../journal/requests.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { latencyOf, summed } from './latency.js';
import { CLASSES } from '../journal/request-minute.entity.js';
import { RequestMinutes } from '../journal/request-minutes.js';

/** Number of errors, of accounts of an environment, and of deliveries of a webhook that are looked at. */
const MAX_ERRORS = 10;
const MAX_ACCOUNTS = 10;
const MAX_DELIVERIES = 20;
/** Number of minutes in the chart. */
const MINUTES = 60;

/** Windows that the page shows: of the newest token and grant of the user, and of the first accounts. */
const WINDOWS: readonly QuotaName[] = ['WRITES', 'GLOBAL_READS', 'STATISTICS', 'CORE_READS', 'ACCOUNT_READS'];

/** The first page of an application: how it does. */
@SectionController('overview')
export class OverviewPageController {
  constructor(
    private readonly minutes: RequestMinutes,
    private readonly requests: RequestsService,
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
    private readonly faults: FaultsService,
    private readonly clocks: TestClocksService,
    private readonly tokens: AccessTokenQueries,
    private readonly grants: GrantQueries,
    private readonly windows: ReplayProtection,
    private readonly access: AccountAccessService,
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
    const { id } = visit.application;
    const accounts = await this.accountsOf(reply, visit);
    const [traffic, errors, webhooks, faults, clocks, windows] = await Promise.all([
      this.trafficOf(id),
      this.requests.frequentErrors(id, MAX_ERRORS),
      this.failingWebhooks(id),
      this.faults.list(id, { max_results: MAX_ERRORS }),
      this.clocks.list(id, { max_results: MAX_ERRORS }),
      this.windowsOf(visit, accounts),
    ]);
    await this.pages.show(reply, visit, {
      section: 'overview',
      template: 'overview/overview',
      title: 'Overview',
      isLive: true,
      data: {
        ...traffic,
        errors: errors.map(({ request, times }) => ({ ...presentLine(request), times, unmatched: request.unmatched })),
        webhooks,
        faults: faults.items.filter(({ isActive }) => isActive).length,
        clocks: clocks.items.map(({ clock }) => ({ id: clock.id, name: clock.name, time: String(clock.frozenTime) })),
        windows,
        accounts,
      },
    });
  }

  /** Requests a minute of the last hour, and the latency of the last hour and day. */
  private async trafficOf(applicationId: string) {
    const now = this.clock.ms();
    const minutes = await this.minutes.since(applicationId, new Date(now - DAY_MS));
    const byMinute = new Map(minutes.map(({ minute, counts }) => [Date.parse(minute), counts]));
    const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const shown = Array.from({ length: MINUTES }, (_, i) => last - (MINUTES - 1 - i) * MINUTE_MS);
    const series = shown.map((ms) => ({ ms, counts: (byMinute.get(ms) ?? []).slice(0, CLASSES.length) }));
    const busiest = Math.max(0, ...series.map(({ counts }) => counts.reduce((sum, each) => sum + each, 0)));
    const highest = Math.max(1, busiest);
    const figuresOf = (label: string, sinceMs: number) => {
      const counts = summed(minutes.filter(({ minute }) => Date.parse(minute) > now - sinceMs - MINUTE_MS));
      const classes = CLASSES.map((each, i) => ({ name: `${each}xx`, count: counts[i] ?? 0 }));
      return { label, classes, p50: latencyOf(counts, 0.5), p95: latencyOf(counts, 0.95) };
    };
    return {
      highest,
      busiest,
      until: new Date(now).toISOString().slice(11, 16),
      minutes: series.map(({ ms, counts }, i) => barsOf(ms, counts, i, highest)),
      figures: [figuresOf('Last hour', HOUR_MS), figuresOf('Last 24 hours', DAY_MS)],
    };
  }

  private async failingWebhooks(applicationId: string) {
    const webhooks = await this.webhooks.list(applicationId);
    const shown = await Promise.all(
      webhooks.map(async ({ id, url, valid }) => {
        const { items } = await this.deliveries.list(applicationId, id, { max_results: MAX_DELIVERIES });
        const failed = items.filter(({ delivery }) => delivery.state === 'FAILED').length;
        return { id, url, valid, failed, of: items.length };
      }),
    );
    return shown.filter(({ valid, failed }) => !valid || failed > 0);
  }

  /** The first accounts of each environment with what they spent today, for those who may read it. */
  private async accountsOf(reply: FastifyReply, visit: Visit) {
    const { userId } = visit.session.user;
    const lists = await Promise.all(
      ([true, false] as const).map(async (sandbox) => {
        const params = { count: MAX_ACCOUNTS };
        const { items } = await this.api.get(reply.request, visit, { path: '/12/accounts', params, sandbox });
        return items.map((item) => ({ item, environment: sandbox ? ('sandbox' as const) : ('production' as const) }));
      }),
    );
    return Promise.all(
      lists.flat().map(async ({ item, environment }) => {
        const id = String(item.id);
        const account = await this.access.find(environment, id, userId);
        return { id, name: nameOf(item), environment, spend: account && (await this.spendToday(account)) };
      }),
    );
  }

  /** In each currency, the largest amount first. */
  private async spendToday(account: ActingAccount) {
    const charged = await this.reports.chargedToday(account, 'currency');
    if (!charged) return undefined;
    const amounts = [...charged].sort(([, one], [, other]) => other - one);
    const texts = (amounts.length > 0 ? amounts : [['USD', 0] as const]).map(
      ([currency, charge]) => `${amountText(charge, currency)} ${currency}`,
    );
    return texts.join(', ');
  }

  /** What is left of rate limits that were used. To look at a window counts nothing in it. */
  private async windowsOf({ session, application }: Visit, accounts: readonly { id: string; name: string }[]) {
    const which = { userId: session.user.userId, applicationId: application.id, limit: 1 };
    const [tokens, grants] = await Promise.all([this.tokens.newest(which), this.grants.newest(which)]);
    const callers = [
      ...tokens.map(({ id, key }) => ({ id, home: key, of: 'your token' })),
      ...grants.map(({ id }) => ({ id, home: id, of: 'your grant of OAuth 2.0' })),
    ];
    const owners = WINDOWS.flatMap((name): OwnedWindow[] =>
      isPerToken(name)
        ? callers.map((caller) => windowOfCaller(name, caller))
        : accounts.flatMap(({ id, name: of }) => windowsOfAccount(name, id, of)),
    );
    const windows = owners.map(({ name, owner, home = owner }) => {
      return { key: `${name}:${owner}`, home, name, by: 0, ...this.config.quotas[name] };
    });
    const { usages } = await this.windows.admit(null, windows);
    const shown = usages.map(({ name, limit, remaining, resetAt }, i) => {
      return { name, of: owners[i].of, limit, remaining, resetAt };
    });
    return shown.filter(({ limit, remaining }) => remaining < limit);
  }
}

/**
 * Endpoints of an account whose reads have a window each: those of core entities, and of the others those that tests read
 * most. Answers have headers with the windows of all.
 */
const ENDPOINTS: Partial<Record<QuotaName, readonly string[]>> = {
  CORE_READS: [
    'campaigns',
    'campaigns/:campaign_id',
    'funding_instruments',
    'funding_instruments/:funding_instrument_id',
    'line_items',
    'line_items/:line_item_id',
    'promoted_posts',
    'promoted_posts/:promoted_post_id',
    'targeting_criteria',
    'targeting_criteria/:targeting_criterion_id',
  ],
  ACCOUNT_READS: [
    '',
    'account_history',
    'cards',
    'custom_audiences',
    'custom_audiences/:custom_audience_id',
    'media_library',
    'posts',
    'promotable_users',
    'web_event_tags',
  ],
};

interface OwnedWindow {
  name: QuotaName;
  owner: string;
  /** By what its place is chosen; by default the owner. */
  home?: string;
  /** Whose it is, in words. */
  of: string;
}

/** The windows of a quota of an account. */
const windowsOfAccount = (name: QuotaName, id: string, of: string): OwnedWindow[] =>
  (ENDPOINTS[name] ?? []).map((path) => {
    const below = path === '' ? '' : `/${path}`;
    const owner = windowOwner(name, id, `GET /12/accounts/:account_id${below}`);
    return { name, owner, of: `${of}${path && `, ${path}`}` };
  });

/** The window of a quota of a token or grant; of reads, that of the list of accounts. */
const windowOfCaller = (name: QuotaName, { id, home, of }: { id: string; home: string; of: string }): OwnedWindow => ({
  name,
  owner: windowOwner(name, id, 'GET /12/accounts'),
  home,
  of: name === 'GLOBAL_READS' ? `${of}, accounts` : of,
});

const nameOf = ({ name }: Item): string => String(name);

/** The bar of a minute: a part for each class, from the ground up, in percent of the chart. */
function barsOf(ms: number, counts: readonly number[], i: number, highest: number) {
  let below = 0;
  const parts = counts.map((count, each) => {
    below += count;
    const percent = (share: number) => `${Number(((share / highest) * 100).toFixed(2))}%`;
    return { tone: `class-${CLASSES[each]}`, y: percent(highest - below), height: percent(count) };
  });
  const total = counts.reduce((sum, each) => sum + each, 0);
  const time = new Date(ms).toISOString().slice(11, 16);
  return { x: `${(i * 100) / MINUTES}%`, parts, title: `${time} UTC: ${total} requests` };
}
