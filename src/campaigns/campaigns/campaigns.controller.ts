import { Body, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { AccountController, BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CampaignView, presentCampaign } from './campaign.presenter.js';
import { CAMPAIGN_OPERATIONS, CreateCampaign, ListCampaigns, UpdateCampaign } from './campaigns.dto.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { CampaignsService } from './campaigns.service.js';

@AccountController('campaigns', {
  tag: 'Campaigns',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
  quota: 'CORE_READS',
})
export class CampaignsController {
  constructor(private readonly campaigns: CampaignsService) {}

  /** Lists the account's campaigns, with filters and pagination. */
  @Get()
  @ReturnsPage(CampaignView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListCampaigns) {
    return (await this.campaigns.list(account, query)).map(presentCampaign);
  }

  /** Returns a campaign. */
  @Get(':campaign_id')
  @Returns(CampaignView)
  async get(@CurrentAccount() account: ActingAccount, @Param('campaign_id') id: string, @Params() query: OneQuery) {
    return presentCampaign(await this.campaigns.get(account, id, query));
  }

  /** Creates a campaign under a funding instrument. */
  @Post()
  @Returns(CampaignView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateCampaign) request: Parsed<CreateCampaign>,
  ) {
    return presentCampaign(await this.campaigns.create(account, request));
  }

  /** Updates a campaign. Changes only the fields sent. An empty value unsets an optional field. */
  @Put(':campaign_id')
  @Returns(CampaignView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('campaign_id') id: string,
    @ParsedParams(UpdateCampaign) request: Parsed<UpdateCampaign>,
  ) {
    return presentCampaign(await this.campaigns.update(account, id, request));
  }

  /** Activates a campaign, as an update with `entity_status=ACTIVE` does. */
  @Put(':campaign_id/activate')
  @Returns(CampaignView)
  async activate(@CurrentAccount() account: ActingAccount, @Param('campaign_id') id: string) {
    return presentCampaign(await this.campaigns.update(account, id, ACTIVATION));
  }

  /** Deletes a campaign permanently. Repeating the call returns 404. */
  @Delete(':campaign_id')
  @Returns(CampaignView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('campaign_id') id: string) {
    return presentCampaign(await this.campaigns.delete(account, id));
  }
}

const ACTIVATION = Parsed.complete<UpdateCampaign>({ entity_status: 'ACTIVE' });

@BatchController('campaigns', { tag: 'Campaigns', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class CampaignBatchController {
  constructor(private readonly campaigns: CampaignsService) {}

  /** Creates, updates and deletes up to 40 campaigns. Either all operations succeed or none. */
  @Post()
  @HttpCode(200)
  @TakesBatch(CAMPAIGN_OPERATIONS)
  @ReturnsList(CampaignView, { batch: true })
  async run(@CurrentAccount() account: ActingAccount, @Body() operations: unknown) {
    return (await this.campaigns.batch(account, operations)).map(presentCampaign);
  }
}
