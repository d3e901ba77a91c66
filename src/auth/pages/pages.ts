import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import { Config } from '../../config/config.js';
import type { BrowserSession } from './browser-sessions.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const style = readFileSync(new URL('./style.eta', import.meta.url), 'utf8').trim();
const mark = readFileSync(new URL('./mark.svg', import.meta.url), 'utf8').trim();
/** The logo as the icon of a tab, with a colour of its own since it cannot use that of the page. */
const icon = `data:image/svg+xml,${encodeURIComponent(mark.replace('currentColor', '#9c4a58'))}`;

/** A text as a source of a content security policy. */
const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const styleSource = sourceOf(style);

/** A style sheet and a script that a page has besides the style sheet of all pages. */
export class PageAssets {
  readonly styleSource: string;
  readonly scriptSource: string;

  constructor(
    readonly style: string,
    readonly script: string,
  ) {
    this.styleSource = sourceOf(style);
    this.scriptSource = sourceOf(script);
  }
}

/** The content of an error page. */
export interface ErrorPage {
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
   * True if a form of the page can lead to an application's callback. Browsers apply `form-action` to every redirect
   * after a form, those of the application's own site included, so such pages cannot have one.
   */
  mayLeadToCallback?: boolean;
  /** The script may send requests to this service, and to no other. */
  assets?: PageAssets;
  /** Origins of the images and frames that the page shows. */
  embeds?: readonly string[];
}

/** Renders the pages. They need no JavaScript and cannot be framed. */
@Injectable()
export class Pages {
  private readonly eta = new Eta({ views: folder, cache: true, autoEscape: true });

  constructor(private readonly config: Config) {}

  /** Sends a page. The template shows `data` and the session; everything is escaped. */
  async show(
    reply: FastifyReply,
    template: string,
    session: Partial<BrowserSession>,
    data: Record<string, unknown> = {},
    { status = 200, reason, mayLeadToCallback, assets, embeds }: PageOptions = {},
  ): Promise<void> {
    if (reason !== undefined) reply.request.refused ??= { reason };
    const html = this.eta.render(template, {
      style,
      mark,
      icon,
      csrf: '',
      user: undefined,
      prefix: '',
      workbench: this.config.workbench,
      assets,
      ...session,
      ...data,
    });
    await withSecurityHeaders(reply, mayLeadToCallback, assets, embeds)
      .status(status)
      .type('text/html; charset=utf-8')
      .send(html);
  }

  /** Sends a page around content that another domain has rendered from a template of its own. */
  async wrap(
    reply: FastifyReply,
    session: Partial<BrowserSession>,
    { title, body }: { title: string; body: string },
    options: PageOptions = {},
  ): Promise<void> {
    await this.show(reply, 'layout', session, { title, body }, options);
  }

  /** Sends an error page. */
  async problem(
    reply: FastifyReply,
    { title, text, status, reason }: ErrorPage,
    session: Partial<BrowserSession> = {},
  ): Promise<void> {
    await this.show(reply, 'problem', session, { title, text }, { status, reason });
  }
}

/** Sets headers against framing, injected content, caching, and sending the URL as a referrer. */
export function withSecurityHeaders(
  reply: FastifyReply,
  leaves = false,
  assets?: PageAssets,
  embeds: readonly string[] = [],
): FastifyReply {
  const policy = [
    "default-src 'none'",
    ['style-src', styleSource, ...(assets ? [assets.styleSource] : [])].join(' '),
    ...(assets ? [`script-src ${assets.scriptSource}`, "connect-src 'self'"] : []),
    ['img-src data:', ...embeds].join(' '),
    ...(embeds.length > 0 ? [['frame-src', ...embeds].join(' ')] : []),
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
