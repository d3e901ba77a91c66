import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import type { BrowserSession } from './browser-sessions.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const style = readFileSync(new URL('./style.eta', import.meta.url), 'utf8').trim();
const mark = readFileSync(new URL('./mark.svg', import.meta.url), 'utf8').trim();
/** The logo as the icon of a tab, with a colour of its own since it cannot use that of the page. */
const icon = `data:image/svg+xml,${encodeURIComponent(mark.replace('currentColor', '#9c4a58'))}`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** The content of an error page. */
export interface Problem {
  title: string;
  text: string;
  status: number;
  /** The reason, one word for the log. */
  reason?: string;
}

export interface PageOptions {
  status?: number;
  /** Why the request is refused, one word for the log. */
  reason?: string;
  /**
   * Whether a form of the page can lead to an application's callback. Browsers apply `form-action` to every redirect
   * after a form, those of the application's own site included, so such pages cannot have one.
   */
  mayLeadToCallback?: boolean;
}

/** Renders the pages. They need no JavaScript and cannot be framed. */
@Injectable()
export class Pages {
  private readonly eta = new Eta({ views: folder, cache: true, autoEscape: true });

  /** Sends a page. The template shows `data` and the session; everything is escaped. */
  async show(
    reply: FastifyReply,
    template: string,
    session: Partial<BrowserSession>,
    data: Record<string, unknown> = {},
    { status = 200, reason, mayLeadToCallback: leaves = false }: PageOptions = {},
  ): Promise<void> {
    if (reason !== undefined) reply.request.refused ??= { reason };
    const html = this.eta.render(template, {
      style,
      mark,
      icon,
      csrf: '',
      user: undefined,
      prefix: '',
      ...session,
      ...data,
    });
    await withSecurityHeaders(reply, leaves).status(status).type('text/html; charset=utf-8').send(html);
  }

  /** Sends a page around content that another domain has rendered from a template of its own. */
  async wrap(
    reply: FastifyReply,
    session: Partial<BrowserSession>,
    { title, body }: { title: string; body: string },
  ): Promise<void> {
    await this.show(reply, 'layout', session, { title, body });
  }

  /** Sends an error page. */
  async problem(
    reply: FastifyReply,
    { title, text, status, reason }: Problem,
    session: Partial<BrowserSession> = {},
  ): Promise<void> {
    await this.show(reply, 'problem', session, { title, text }, { status, reason });
  }
}

/** Sets headers against framing, injected content, caching, and sending the URL as a referrer. */
export function withSecurityHeaders(reply: FastifyReply, leaves = false): FastifyReply {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(leaves ? [] : ["form-action 'self'"]),
  ].join('; ');
  return reply
    .header('content-security-policy', policy)
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store');
}
