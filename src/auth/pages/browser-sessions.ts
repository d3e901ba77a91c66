import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { Vault } from '../credentials/vault.js';
import { newSessionText, SessionsService, type SignedIn } from '../sessions/sessions.service.js';

/** The session of the browser that requests a page. */
export interface BrowserSession {
  /** The CSRF token, a hidden field of every form. */
  csrf: string;
  user?: SignedIn;
  /** The path of the public URL, a prefix of our paths in the browser. */
  prefix: string;
}

const COOKIE_TEXT = /^[A-Za-z0-9_-]{43}$/;

/** Browser sessions. The cookie is set before the user signs in, so that every form has a CSRF token. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: SessionsService,
    private readonly vault: Vault,
  ) {}

  async of(request: FastifyRequest, reply: FastifyReply): Promise<BrowserSession> {
    const text = cookieOf(request);
    if (text === undefined) return this.begin(request, reply, newSessionText());
    return { csrf: this.csrfOf(text)[0], user: await this.sessions.find(text), prefix: originOf(request.raw).prefix };
  }

  /** Ends the session of the browser and sets a new cookie, which changes the CSRF tokens. */
  async renew(request: FastifyRequest, reply: FastifyReply, text = newSessionText()): Promise<BrowserSession> {
    const before = cookieOf(request);
    if (before !== undefined) await this.sessions.end(before);
    return this.begin(request, reply, text);
  }

  /** True if a form carries the CSRF token of this browser's session. */
  isOurForm(request: FastifyRequest): boolean {
    const text = cookieOf(request);
    const given = Buffer.from(formFieldsOf(request).csrf ?? '');
    const ours =
      text !== undefined &&
      this.csrfOf(text)
        .map((each) => Buffer.from(each))
        .some((each) => each.length === given.length && timingSafeEqual(each, given));
    if (!ours) request.refused = { reason: 'form-out-of-date' };
    return ours;
  }

  private begin(request: FastifyRequest, reply: FastifyReply, text: string): BrowserSession {
    const secure = request.protocol === 'https';
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
    reply.header('set-cookie', stringifySetCookie(cookieNameOf(request), text, options));
    return { csrf: this.csrfOf(text)[0], prefix: originOf(request.raw).prefix };
  }

  /** One token per known master key, the newest first, so that open forms stay valid when the key changes. */
  private csrfOf(text: string): string[] {
    return this.vault.lookups(`form ${text}`);
  }
}

/** `__Host-` binds the cookie to this host and to HTTPS. Browsers reject the prefix over http. */
const cookieNameOf = ({ protocol }: FastifyRequest): string =>
  protocol === 'https' ? '__Host-marquee_session' : 'marquee_session';

function cookieOf(request: FastifyRequest): string | undefined {
  const text = parseCookie(request.headers.cookie ?? '')[cookieNameOf(request)];
  return text !== undefined && COOKIE_TEXT.test(text) ? text : undefined;
}
