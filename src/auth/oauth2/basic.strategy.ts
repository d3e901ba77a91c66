import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { BasicStrategy } from 'passport-http';
import { ConsumersService } from '../credentials/consumers.service.js';
import { isSameSecret } from '../credentials/same-secret.js';
import { readBasic } from '../headers/basic-header.js';

/** An application that authenticated with its key and secret. */
export interface BasicClient {
  applicationId: string;
}

/** Passport's Basic strategy behind our own parser: it sees only a rebuilt header, decoded and of limited length. */
class CleanBasicStrategy extends BasicStrategy {
  /** A method of Passport that its types omit. */
  declare fail: (status: number) => void;

  override authenticate(request: object): void {
    const given = readBasic((request as FastifyRequest).headers.authorization ?? '');
    // Passport splits at every colon; our keys and secrets have none.
    if (!given || given.key.includes(':') || given.secret.includes(':')) return this.fail(400);
    const authorization = `Basic ${Buffer.from(`${given.key}:${given.secret}`).toString('base64')}`;
    super.authenticate({ headers: { authorization } } as never);
  }
}

@Injectable()
export class ClientStrategy extends PassportStrategy(CleanBasicStrategy, 'basic') {
  constructor(private readonly consumers: ConsumersService) {
    super();
  }

  async validate(key: string, secret: string): Promise<BasicClient | null> {
    const consumer = await this.consumers.find(key);
    return consumer && isSameSecret(consumer.secret, secret) ? { applicationId: consumer.id } : null;
  }
}
