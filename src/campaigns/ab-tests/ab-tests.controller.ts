import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { ParsedBody, Params } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { AbTestView, presentAbTest } from './ab-test.presenter.js';
import { CreateAbTest, ListAbTests, UpdateAbTest } from './ab-tests.dto.js';
import { AbTestsService } from './ab-tests.service.js';

@AccountController('ab_tests', { tag: 'A/B tests', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class AbTestsController {
  constructor(private readonly tests: AbTestsService) {}

  /** Lists the A/B tests of an account, with filters and pagination. */
  @Get()
  @ReturnsPage(AbTestView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAbTests) {
    return (await this.tests.list(account, query)).map(presentAbTest);
  }

  /** Returns an A/B test. */
  @Get(':ab_test_id')
  @Returns(AbTestView)
  async get(@CurrentAccount() account: ActingAccount, @Param('ab_test_id') id: string, @Params() query: OneQuery) {
    return presentAbTest(await this.tests.get(account, id, query));
  }

  /** Creates an A/B test of campaigns, or of the line items of a campaign. */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(AbTestView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @ParsedBody(CreateAbTest) request: Parsed<CreateAbTest>) {
    return presentAbTest(await this.tests.create(account, request));
  }

  /** Changes a scheduled A/B test, or the end of a live one. */
  @Put(':ab_test_id')
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(AbTestView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('ab_test_id') id: string,
    @ParsedBody(UpdateAbTest) request: Parsed<UpdateAbTest>,
  ) {
    return presentAbTest(await this.tests.update(account, id, request));
  }

  /** Deletes an A/B test permanently. Its campaigns and line items reach all users again. */
  @Delete(':ab_test_id')
  @Returns(AbTestView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('ab_test_id') id: string) {
    return presentAbTest(await this.tests.delete(account, id));
  }
}
