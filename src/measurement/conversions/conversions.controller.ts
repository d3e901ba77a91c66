import {
  Controller,
  HttpCode,
  Injectable,
  Post,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Admission } from '../../auth/guards/admission.js';
import { EndpointPolicyGuard } from '../../auth/guards/endpoint-policy.guard.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { IdempotencyInterceptor } from '../../auth/idempotency/idempotency.interceptor.js';
import { Returns } from '../../common/http/answers/returns.js';
import { addToEcho, JsonBody } from '../../common/http/params/params.js';
import { MEASUREMENT_WRITE } from '../measurement.permissions.js';
import type { PixelAccount } from '../entities/pixel-account.js';
import { CONVERSIONS_SIZE, SendConversions } from './conversions.dto.js';
import { ConversionsGuard, conversionsCheck, CurrentPixelAccount } from './conversions.guard.js';
import { ProcessedConversionsView } from './conversions.presenter.js';
import { ConversionsService } from './conversions.service.js';

/** The envelope without the conversions. An Idempotency-Key is of all tokens of a pixel, which follow each other. */
@Injectable()
class ConversionsInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: IdempotencyInterceptor) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const enveloped = () => next.handle().pipe(map((data: unknown) => ({ request: { params: request.params }, data })));
    return this.idempotency.intercept(context, { handle: enveloped });
  }
}

@Controller('12/measurement/conversions')
@Policy({ writes: MEASUREMENT_WRITE, writeQuota: 'CONVERSIONS', body: 'json', ofMeasurement: true })
@UseGuards(EndpointPolicyGuard, ConversionsGuard)
@UseInterceptors(ConversionsInterceptor)
@ApiTags('Measurement')
// decorators apply from the last to the first, and the document shows the first way of all
@ApiSecurity('pixelToken')
@ApiSecurity('oauth2')
@ApiSecurity('oauth1')
export class ConversionsController {
  constructor(
    private readonly conversions: ConversionsService,
    private readonly admission: Admission,
  ) {}

  /**
   * Stores up to 500 conversions of a pixel, all or none. The rate limit counts conversions. A conversion with the
   * `conversion_id` of another one of its tag within 48 hours is a duplicate: it is processed, and stored once.
   */
  @Post(':pixel_id')
  @HttpCode(200)
  @RouteConfig({ takesJsonOnly: true, ...CONVERSIONS_SIZE })
  @ApiParam({ name: 'pixel_id', type: String, description: 'The `website_tag_id` of the web event tags.' })
  @Returns(ProcessedConversionsView)
  async send(
    @Req() { body }: FastifyRequest,
    @CurrentPixelAccount() account: PixelAccount,
    @JsonBody() { conversions }: SendConversions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProcessedConversionsView> {
    // errors do not repeat people
    addToEcho(body, { conversions: undefined });
    // the guard counted the first
    if (conversions.length > 1) await this.admission.admit(reply, conversionsCheck(account.id, conversions.length - 1));
    const { processed, debugId } = await this.conversions.receive(account, conversions);
    return { conversions_processed: processed, debug_id: debugId };
  }
}
