import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import { inBackground } from '../../common/concurrency/background.js';
import type { Clock } from '../../common/time/clock.js';
import type { BearersService } from '../bearers/bearers.service.js';
import { readBearer } from '../headers/authorization-header.js';
import {
  checkSignature,
  readSigned,
  type SignatureOptions,
  type Secrets,
  type SignedRequest,
} from './signed-request.js';

type Done = (error: unknown, found?: object | null) => void;
type Verify = (request: FastifyRequest, signed: SignedRequest, done: Done) => void;

/** A Passport strategy for OAuth 1.0a with HMAC-SHA1 (RFC 5849): parses the request, `verify` looks up the secrets. */
export class OAuth1Strategy extends Strategy {
  constructor(
    private readonly options: SignatureOptions & { clock: Clock; bearers: Pick<BearersService, 'find'> },
    private readonly verify: Verify,
  ) {
    super();
  }

  override authenticate(given: object): void {
    const request = given as FastifyRequest;
    const signed = readSigned(request, this.options.clock, this.options);
    if ('kind' in signed) {
      request.refusal = signed;
      if (signed.kind === 'bearer') inBackground(this.refuseBearer(request), 'rejecting a bearer token');
      else this.fail(401);
      return;
    }
    this.verify(request, signed, (error, found) => {
      if (error) this.error(error as Error);
      else if (found) this.success(found);
      else this.fail(401);
    });
  }

  /** A valid bearer token is the wrong kind of credentials; any other is an unknown token. */
  private async refuseBearer(request: FastifyRequest): Promise<void> {
    try {
      const bearer = await this.options.bearers.find(readBearer(request.headers.authorization!)!);
      if (!bearer) request.refusal = { kind: 'unknown-token' };
    } catch (error) {
      return this.error(error as Error);
    }
    this.fail(401);
  }

  /** True if the request was signed with these secrets; if not, `request.refusal` has the reason. */
  checkSignature(request: FastifyRequest, signed: SignedRequest, secrets: Secrets): boolean {
    return checkSignature(request, signed, secrets, this.options);
  }
}
