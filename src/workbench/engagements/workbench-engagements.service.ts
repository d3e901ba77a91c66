import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import { DirectoryService } from '../../audiences/directory/directory.service.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { isForWebsite } from '../../campaigns/spending/website-goals.js';
import { promotedThings } from '../../campaigns/spending/promoted-things.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { invalid, notFound } from '../../common/errors/catalogue.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import { Clock } from '../../common/time/clock.js';
import { ENGAGEMENT_DAYS, type Engagement } from '../../measurement/entities/engagement.entity.js';
import { EngagementsService } from '../../measurement/engagements/engagements.service.js';
import { RecentTimes } from '../recent-times.js';
import { SandboxAccounts } from '../sandbox-accounts.service.js';
import type { CreateEngagement, ListEngagements } from './engagements.dto.js';

/** Makes users of the directory engage with line items of sandbox accounts, so that tests can report conversions. */
@Injectable()
export class WorkbenchEngagements {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly accounts: SandboxAccounts,
    private readonly directory: DirectoryService,
    private readonly engagements: EngagementsService,
    private readonly quotas: StorageQuotas,
    private readonly times: RecentTimes,
  ) {}

  /** The engagements of an account that were stored last, the newest first. */
  async list(userId: string, { account_id, max_results }: ListEngagements): Promise<Row<Engagement>[]> {
    const account = await this.accounts.requireAdministered(userId, account_id);
    return this.engagements.latest(this.db.manager, account.id, max_results);
  }

  /** Stores an engagement with the first creative of a line item. */
  async create(userId: string, params: CreateEngagement): Promise<Row<Engagement>> {
    const { manager } = this.db;
    const account = await this.accounts.requireAdministered(userId, params.account_id);
    if (account.clockAdvancing) throw clockIsAdvancing(account.id);
    const at = this.times.of(account, params.time, ENGAGEMENT_DAYS);
    const visitor = visitorOf(params);
    const item = await rows(manager, LineItem).where('accountId', account.id).where('id', params.line_item_id).getOne();
    if (!item) throw notFound('Line Item', 'line_item_id', params.line_item_id, account.id);
    const [thing] = (await promotedThings(manager, account.id, [item.id])).get(item.id) ?? [];
    if (!thing)
      throw invalid('line_item_id', `Line item ${item.id} shows nothing: it has no creative that is accepted`, {
        value: item.id,
        details: 'promote a post or an account with it, which is accepted and not paused',
      });
    if (!(await this.directory.of(params.user_id)))
      throw invalid('user_id', `Expected a user of the directory for user_id, got "${params.user_id}"`, {
        value: params.user_id,
        details: '`marquee directory import` adds users to the directory',
      });
    const owner = { id: account.id, now: this.clock.timeOf(account) };
    const stored = this.engagements.store(manager, owner, [
      {
        ...{ userId: params.user_id, at: at.toISOString(), isClick: params.type === 'CLICK', visitor },
        ...{ lineItemId: item.id, placement: 'ALL_ON_PLATFORM', promotedId: thing.id, promotedKind: thing.kind },
        ...{
          audienceId: '',
          currency: item.currency,
          tagId: item.primaryWebEventTag,
          isForWebsite: isForWebsite(item),
        },
      },
    ]);
    const [engagement] = await stored.catch(async (error: unknown) => {
      throw isQuotaExceeded(error) ? await this.quotas.refusal('ENGAGEMENTS', account.id, 1) : error;
    });
    return engagement;
  }
}

function visitorOf({ ip_address: address, user_agent: agent }: CreateEngagement) {
  if (address === undefined || agent === undefined) return undefined;
  if (isIP(address.trim()) === 0) throw expectedError('an IP address', address, 'ip_address');
  return { address, agent };
}
