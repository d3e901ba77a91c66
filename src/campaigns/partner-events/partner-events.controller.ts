import { Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { AppAttributionView, AppEventView, presentAppEvent, presentAttribution } from './partner-event.presenter.js';
import { FindAttribution, SendAppEvent } from './partner-events.dto.js';
import { PartnerEvents } from './partner-events.service.js';

@CallerController('', { tag: 'App measurement', ofMeasurement: true })
export class PartnerEventsController {
  constructor(private readonly events: PartnerEvents) {}

  /** Receives an event in an app from a measurement partner, and returns what it is attributed to. */
  @Post('conversion_event')
  @ApiResponse({ status: 404, description: 'No line item promotes the app.' })
  @HttpCode(200)
  @Returns(AppEventView)
  async send(
    @Req() request: FastifyRequest,
    @CurrentCaller() { application }: Caller,
    @Params() params: SendAppEvent,
    @Db() db: EntityManager,
  ): Promise<AppEventView> {
    const attribution = await this.events.receive(db, application.id, originOf(request.raw).environment, params);
    return presentAppEvent(params, application.id, attribution);
  }

  /** Returns what an event in an app would be attributed to. Nothing is stored. */
  @Get('conversion_attribution')
  @Returns(AppAttributionView)
  async find(
    @Req() request: FastifyRequest,
    @CurrentCaller() { application }: Caller,
    @Params() params: FindAttribution,
    @Db() db: EntityManager,
  ): Promise<AppAttributionView> {
    const attribution = await this.events.find(db, application.id, originOf(request.raw).environment, params);
    return presentAttribution(params, application.id, attribution);
  }
}
