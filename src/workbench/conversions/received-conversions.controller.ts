import { Get, Param, Post } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import type { Owner } from '../sandbox-accounts.service.js';
import { CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import {
  presentReceivedConversion,
  ReceivedConversionView,
  SentConversionView,
} from './received-conversion.presenter.js';
import { GetReceivedConversion, ListReceivedConversions, SendTestConversion } from './received-conversions.dto.js';
import { WorkbenchConversions } from './workbench-conversions.service.js';

/** What pixels received, and what became of it. Not part of the specification: docs/workbench.md. */
@WorkbenchController('conversions')
export class ReceivedConversionsController {
  constructor(private readonly conversions: WorkbenchConversions) {}

  /** Lists the conversions that the pixel of an account received last, the newest first. */
  @Get()
  @ApiResponse({ status: 404, description: 'The account does not exist.' })
  @ReturnsList(ReceivedConversionView)
  async list(@CurrentOwner() { userId }: Owner, @Params() query: ListReceivedConversions) {
    return (await this.conversions.list(userId, query)).map(presentReceivedConversion);
  }

  /** Returns a conversion: what it was matched by, the line item that it is attributed to, and its duplicates. */
  @Get(':received_conversion_id')
  @Returns(ReceivedConversionView)
  async get(
    @CurrentOwner() { userId }: Owner,
    @Param('received_conversion_id') id: string,
    @Params() query: GetReceivedConversion,
  ) {
    return presentReceivedConversion(await this.conversions.get(userId, id, query));
  }

  /** Sends a conversion to the pixel of an account. Of a duplicate it returns the first one. */
  @Post()
  @ApiResponse({ status: 404, description: 'The account or a named item does not exist.' })
  @Policy({ ofMeasurement: true })
  @Returns(SentConversionView, { status: 201 })
  async create(@CurrentOwner() { userId }: Owner, @Params() params: SendTestConversion) {
    const { received, isDuplicate } = await this.conversions.send(userId, params);
    return { ...presentReceivedConversion(received), is_duplicate: isDuplicate };
  }
}
