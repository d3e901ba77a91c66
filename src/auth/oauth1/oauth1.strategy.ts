import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import type { Clock } from '../../common/clock.js';
import { isProven, readSigned, type Asked, type Secrets, type SignedRequest } from './signed-request.js';

type Done = (error: unknown, found?: object | null) => void;
type Verify = (request: FastifyRequest, signed: SignedRequest, done: Done) => void;

/** OAuth 1.0a with HMAC-SHA1 (RFC 5849) for passport: reads what was signed, leaves the secrets to `verify`. */
export class OAuth1Strategy extends Strategy {
  constructor(
    private readonly options: Asked & { clock: Clock },
    private readonly verify: Verify,
  ) {
    super();
  }

  override authenticate(asked: object): void {
    const request = asked as FastifyRequest;
    const signed = readSigned(request, this.options.clock, this.options);
    if ('kind' in signed) {
      request.refusal = signed;
      return this.fail(401);
    }
    this.verify(request, signed, (error, found) => {
      if (error) this.error(error as Error);
      else if (found) this.success(found);
      else this.fail(401);
    });
  }

  /** Whether the request was signed with these secrets; if not, `request.refusal` says so. */
  proves(request: FastifyRequest, signed: SignedRequest, secrets: Secrets): boolean {
    return isProven(request, signed, secrets, this.options);
  }
}
