import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';
import { BearersService, type Bearer } from './bearers.service.js';

/** Passport's Bearer strategy for the header only. A token in the query or body is ignored. */
class HeaderBearerStrategy extends Strategy<VerifyFunction> {
  override authenticate(request: object): void {
    const { authorization } = (request as FastifyRequest).headers;
    super.authenticate({ headers: { authorization } } as never);
  }
}

@Injectable()
export class BearerStrategy extends PassportStrategy(HeaderBearerStrategy, 'bearer') {
  constructor(private readonly bearers: BearersService) {
    super();
  }

  async validate(token: string): Promise<Bearer | null> {
    return (await this.bearers.find(token)) ?? null;
  }
}
