import { Get, Req, Res } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerController } from '../../auth/guards/bearer-controller.js';
import { CurrentBearer } from '../../auth/guards/bearer.guard.js';
import type { Bearer } from '../../auth/bearers/bearers.service.js';
import { onceClosed } from '../../common/http/answers/once-closed.js';
import { ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { ID, Unescaped } from '../../common/http/answers/responses.js';
import { FollowEvents } from './following.dto.js';
import { FollowingService } from './following.service.js';

/** An event as a webhook receives it. */
class FollowedEventView {
  /** The id of the event. */
  @ApiProperty({ ...ID, example: '3k8f0q2m4x7zt' }) @Unescaped() event_id: string;
  /** The raw body, which the signatures cover. */
  @ApiProperty({ example: '{"event_id":"3k8f0q2m4x7zt"}' }) body: string;
}

/** Events for developers whose machine webhooks cannot reach. */
@BearerController('webhooks/events', { tag: 'Webhooks' })
export class FollowingController {
  constructor(private readonly following: FollowingService) {}

  /**
   * Lists new events of all ad accounts that the application may read, whatever its webhooks subscribe to. Events are
   * oldest first and a second late. `next_token` continues the list for five minutes, even after an empty response.
   */
  @Get()
  @ReturnsPage(FollowedEventView)
  async follow(
    @CurrentBearer() { applicationId }: Bearer,
    @Params() query: FollowEvents,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const closed = new AbortController();
    onceClosed(request, reply, () => closed.abort());
    const events = await this.following.follow(applicationId, query, closed.signal);
    return events.map(({ id, text }) => ({ event_id: id, body: text }));
  }
}
