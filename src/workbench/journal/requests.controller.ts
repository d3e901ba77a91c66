import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { CurrentApplicationId, WorkbenchController } from '../workbench-controller.js';
import {
  JournaledRequestDetailView,
  JournaledRequestView,
  presentRequest,
  presentRequestDetail,
  RequestCountView,
} from './journaled-request.presenter.js';
import { CountRequests, GetRequest, ListRequests } from './requests.dto.js';
import { NamespacesService } from '../namespaces/namespaces.service.js';
import { RequestsService } from './requests.service.js';

/** The journal of the requests of an application. Not part of the specification: docs/workbench.md. */
@WorkbenchController('requests')
export class RequestsController {
  constructor(
    private readonly requests: RequestsService,
    private readonly namespaces: NamespacesService,
  ) {}

  /**
   * Lists the requests of the application, newest first. The journal has the last 10,000 requests of at most 24 hours,
   * rejected ones included, if they named the application. At most 1,000 are of unknown senders. Requests to the
   * workbench are not recorded.
   */
  @Get()
  @ReturnsPage(JournaledRequestView)
  async list(@CurrentApplicationId() applicationId: string, @Params() query: ListRequests) {
    const sender = await this.namespaces.applicationOf(applicationId, query.namespace_id);
    return (await this.requests.list(sender, query)).map(presentRequest);
  }

  /** Counts requests, for assertions in tests. Every request that was answered before this one counts. */
  @Post('count')
  @HttpCode(200)
  @Policy({ notAWrite: true })
  @Returns(RequestCountView)
  async count(@CurrentApplicationId() applicationId: string, @Params() query: CountRequests) {
    const sender = await this.namespaces.applicationOf(applicationId, query.namespace_id);
    return { count: await this.requests.count(sender, query) };
  }

  /**
   * Returns a request with its parameters, its signature, its response, its webhook events, and commands that repeat
   * it. The id is that of the journal, or the `x-request-id` of the response; several requests with the same one
   * return the newest.
   */
  @Get(':request_id')
  @Returns(JournaledRequestDetailView)
  async get(
    @CurrentApplicationId() applicationId: string,
    @Param('request_id') id: string,
    @Params() { namespace_id }: GetRequest,
  ) {
    const sender = await this.namespaces.applicationOf(applicationId, namespace_id);
    return presentRequestDetail(await this.requests.get(sender, id));
  }
}
