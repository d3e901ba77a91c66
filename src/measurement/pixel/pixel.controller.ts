import { Controller, Get, Header, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import { Admission } from '../../auth/guards/admission.js';
import { EndpointPolicyGuard } from '../../auth/guards/endpoint-policy.guard.js';
import { OAuthAdmission } from '../../auth/guards/oauth-admission.js';
import { readAsset } from '../../common/asset.js';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { conversionsCheck } from '../conversions/conversions.guard.js';
import { readConversion } from '../conversions/conversion.rules.js';
import { ConversionsService } from '../conversions/conversions.service.js';
import { PixelTokensService } from '../pixel-tokens/pixel-tokens.service.js';
import { PIXEL_SCRIPT } from './pixel-code.js';
import { conversionOfEvent } from './pixel-event.rules.js';

const MAX_BODY_BYTES = 65_536;

/** The pixel in web pages of advertisers: its script, and the events that browsers send without credentials. */
@ApiExcludeController()
@Controller()
@UseGuards(EndpointPolicyGuard)
export class PixelController {
  private readonly script = readAsset('pixel/pixel.js');

  constructor(
    private readonly pixels: PixelTokensService,
    private readonly conversions: ConversionsService,
    private readonly addresses: OAuthAdmission,
    private readonly admission: Admission,
  ) {}

  @Get(PIXEL_SCRIPT)
  @Header('cache-control', 'public, max-age=3600')
  @Header('cross-origin-resource-policy', 'cross-origin')
  sendScript(@Res() reply: FastifyReply) {
    return reply.type('text/javascript; charset=utf-8').send(this.script);
  }

  /**
   * Stores an event as a conversion of the account, with the same rules and the same search for duplicates. It happened when it
   * arrives: clocks of browsers are often wrong. Address and agent of the browser are identifiers, which are not stored.
   */
  @Post('pixel/:pixel_id/events')
  @HttpCode(204)
  @Header('access-control-allow-origin', '*')
  @RouteConfig({ takesFormOnly: true, bodyLimit: MAX_BODY_BYTES })
  async receive(
    @Req() request: FastifyRequest,
    @Param('pixel_id') pixelId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.addresses.admitAddress(request, reply, 'PIXEL_EVENTS');
    const account = await this.pixels.accountOf(pixelId.toLowerCase());
    if (!account) throw pageNotFound();
    if (account.clockAdvancing) throw clockIsAdvancing(account.id);
    await this.admission.admit(reply, conversionsCheck(account.id));
    const event = conversionOfEvent(request.query as Record<string, unknown>, {
      at: account.now().getTime(),
      address: request.ip,
      agent: request.headers['user-agent'],
    });
    await this.conversions.receive(account, [readConversion(event, 'event')]);
  }
}
