import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../common/time/clock.js';
import { Config } from '../../config/config.js';
import type { UnknownCredentials } from '../credentials/callers.service.js';
import { ConsumersService, type Consumer } from '../credentials/consumers.service.js';
import { BearersService } from '../bearers/bearers.service.js';
import { KeyHints } from '../signature/key-hints.service.js';
import { OAuth1Strategy } from '../signature/oauth1.strategy.js';
import { RequestTokensService } from './request-tokens.service.js';
import type { SignedRequest } from '../signature/signed-request.js';

/** An application that signed a request, and the request. */
export interface SignedByApplication {
  consumer: Consumer;
  signed: SignedRequest;
}

/** An application that signed with a request token. */
export interface SignedWithRequestToken extends SignedByApplication {
  requestTokenId: string;
}

/** The first step of a flow: signed with the consumer secret alone. */
@Injectable()
export class ApplicationStrategy extends PassportStrategy(OAuth1Strategy, 'oauth1-application') {
  constructor(
    config: Config,
    clock: Clock,
    bearers: BearersService,
    private readonly consumers: ConsumersService,
    private readonly keyHints: KeyHints,
  ) {
    super({ token: 'none', explain: !config.production, clock, bearers });
  }

  async validate(request: FastifyRequest, signed: SignedRequest): Promise<SignedByApplication | null> {
    const consumer = await this.consumers.find(signed.consumerKey);
    if (!consumer) {
      const hint = await this.keyHints.of(signed);
      request.refusal = { kind: 'unknown-application', consumerKey: signed.consumerKey, hint };
      return null;
    }
    const secrets = { consumerSecret: consumer.secret, tokenSecret: '' };
    if (this.checkSignature(request, signed, secrets)) return { consumer, signed };
    request.refusal!.applicationId = consumer.id;
    return null;
  }
}

/** The last step of a flow: signed with the request token. */
@Injectable()
export class RequestTokenStrategy extends PassportStrategy(OAuth1Strategy, 'oauth1-request-token') {
  constructor(
    config: Config,
    clock: Clock,
    bearers: BearersService,
    private readonly consumers: ConsumersService,
    private readonly requestTokens: RequestTokensService,
  ) {
    super({ token: 'needed', explain: !config.production, clock, bearers });
  }

  async validate(request: FastifyRequest, signed: SignedRequest): Promise<SignedWithRequestToken | null> {
    const consumer = await this.consumers.find(signed.consumerKey);
    const refuse = (kind: UnknownCredentials['unknown']) => {
      request.refusal = { kind, consumerKey: signed.consumerKey, applicationId: consumer?.id };
      return null;
    };
    if (!consumer) return refuse('unknown-application');
    const token = await this.requestTokens.find(signed.token);
    if (!token) return refuse('unknown-token');
    if (token.applicationId !== consumer.id) return refuse('token-of-another');
    const secrets = { consumerSecret: consumer.secret, tokenSecret: this.requestTokens.secretOf(token) };
    if (this.checkSignature(request, signed, secrets)) return { consumer, signed, requestTokenId: token.id };
    request.refusal!.applicationId = consumer.id;
    return null;
  }
}
