import { inSeconds } from '../../common/time/in-seconds.js';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { CustomAudienceUsersService } from '../../audiences/audience-users/custom-audience-users.service.js';
import { CustomAudiencesService } from '../../audiences/custom-audiences/custom-audiences.service.js';
import { CampaignsService } from '../../campaigns/campaigns/campaigns.service.js';
import { FundingInstrumentsService } from '../../campaigns/funding-instruments/funding-instruments.service.js';
import { LineItemsService } from '../../campaigns/line-items/line-items.service.js';
import { TargetingCriteriaService } from '../../campaigns/targeting-criteria/targeting-criteria.service.js';
import { DAY_MS } from '../../common/time/days.js';
import { accountGone } from '../workbench.errors.js';

const MICRO = 1_000_000;
const UNITED_STATES = '96683cc9126741d1';
const COFFEE_AND_TEA = '9004';
const PEOPLE = 200;

const CAMPAIGNS = [
  { name: 'Autumn blends', daily: 120, status: 'ACTIVE' },
  { name: 'Cold brew launch', daily: 300, status: 'ACTIVE' },
  { name: 'Gift cards', daily: 80, status: 'PAUSED' },
  { name: 'Spring menu', daily: 150, status: 'DRAFT' },
];

const LINE_ITEMS = [
  {
    name: 'Whoever loves coffee',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: ['ALL_ON_PLATFORM'],
    bid_amount_local_micro: 1.5 * MICRO,
  },
  {
    name: 'Before the film',
    objective: 'PREROLL_VIEWS',
    product_type: 'MEDIA',
    placements: ['ALL_ON_PLATFORM'],
    categories: ['IAB3'],
  },
];

/** Creates what an account of the sandbox has after a reset to `DEMO`, through the services, with new ids. */
@Injectable()
export class DemoWorld {
  constructor(
    private readonly access: AccountAccessService,
    private readonly funding: FundingInstrumentsService,
    private readonly campaigns: CampaignsService,
    private readonly lineItems: LineItemsService,
    private readonly targeting: TargetingCriteriaService,
    private readonly audiences: CustomAudiencesService,
    private readonly people: CustomAudienceUsersService,
  ) {}

  /** Fills empty accounts, in the transaction of the caller. */
  async create(tx: EntityManager, userId: string, accountIds: readonly string[]): Promise<void> {
    for (const accountId of accountIds) {
      const account = await this.access.find('sandbox', accountId, userId, tx);
      if (!account) throw accountGone(accountId);
      await this.fill(account);
    }
  }

  private async fill(account: ActingAccount): Promise<void> {
    const now = account.now();
    const start_time = daysFrom(now, -30);
    const credit = { currency: 'USD', start_time, type: 'CREDIT_LINE' } as const;
    await this.funding.create(account, { ...credit, type: 'CREDIT_CARD' });
    await this.funding.create(account, credit);
    const funding = await this.funding.create(account, credit);
    const campaigns = await this.campaigns.batch(
      account,
      CAMPAIGNS.map(({ name, daily, status }) =>
        creation({
          funding_instrument_id: funding.id,
          name,
          daily_budget_amount_local_micro: daily * MICRO,
          entity_status: status,
        }),
      ),
    );
    const flight = { start_time: daysFrom(now, -7), end_time: daysFrom(now, 365) };
    const lineItems = await this.lineItems.batch(
      account,
      LINE_ITEMS.map((each, i) => creation({ ...each, ...flight, campaign_id: campaigns.items[i].campaign.id })),
    );
    await this.target(account, lineItems.items[0].item.id);
    await this.addAudience(account);
  }

  private async target(account: ActingAccount, line_item_id: string): Promise<void> {
    const criteria = [
      { targeting_type: 'LOCATION', targeting_value: UNITED_STATES },
      { targeting_type: 'INTEREST', targeting_value: COFFEE_AND_TEA },
      { targeting_type: 'LANGUAGE', targeting_value: 'en' },
    ];
    await this.targeting.batch(
      account,
      criteria.map((each) => creation({ line_item_id, ...each })),
    );
  }

  /** An audience that can be targeted as soon as its people are counted. */
  private async addAudience(account: ActingAccount): Promise<void> {
    const newsletter = await this.audiences.create(account, {
      name: 'Newsletter',
      description: 'Signed up on the website',
    });
    const users = Array.from({ length: PEOPLE }, (_, i) => ({ email: [hashOf(`reader_${i}@mail.example`)] }));
    await this.people.upload(account, newsletter.id, [{ operation_type: 'Update', params: { users } }]);
  }
}

/** A time some days later, with whole seconds. */
const daysFrom = (now: Date, days: number): string => inSeconds(now.getTime() + days * DAY_MS);

const creation = (params: object) => ({ operation_type: 'Create', params });
const hashOf = (address: string): string => createHash('sha256').update(address).digest('hex');
