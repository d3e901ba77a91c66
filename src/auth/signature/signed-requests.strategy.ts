import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../common/time/clock.js';
import { Config } from '../../config/config.js';
import type { Caller } from '../caller.js';
import { CallersService } from '../credentials/callers.service.js';
import { BearersService } from '../bearers/bearers.service.js';
import { KeyHints } from './key-hints.service.js';
import { OAuth1Strategy } from './oauth1.strategy.js';
import type { SignedRequest } from './signed-request.js';

/** Authenticates requests that an application signs for a user, with an access token. */
@Injectable()
export class SignedRequestsStrategy extends PassportStrategy(OAuth1Strategy, 'oauth1') {
  constructor(
    config: Config,
    clock: Clock,
    bearers: BearersService,
    private readonly callers: CallersService,
    private readonly keyHints: KeyHints,
  ) {
    super({ token: 'needed', explain: !config.production, clock, bearers });
  }

  /** The caller if the signature is valid, else the reason. */
  async validate(request: FastifyRequest, signed: SignedRequest): Promise<Caller | null> {
    const known = this.callers.find(signed.consumerKey, signed.token);
    const caller = known instanceof Promise ? await known : known;
    if ('unknown' in caller) {
      const { unknown: kind, ...known } = caller;
      const hint = known.because === undefined ? await this.keyHints.of(signed) : undefined;
      request.refusal = { kind, consumerKey: signed.consumerKey, ...known, hint };
      return null;
    }
    const { tokenSecret, tokenId, application } = caller;
    if (this.checkSignature(request, signed, { consumerSecret: application.consumerSecret, tokenSecret }))
      return caller;
    Object.assign(request.refusal!, { applicationId: application.id, tokenId });
    return null;
  }
}
