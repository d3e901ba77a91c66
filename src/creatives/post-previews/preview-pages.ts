import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import type { ErrorPage } from '../../auth/pages/pages.js';
import { MediaUrls } from '../media-files/media-urls.js';
import type { NotificationLine } from './preview-notifications.service.js';
import type { ShownPost } from './preview-post.rules.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const style = readFileSync(new URL('./style.eta', import.meta.url), 'utf8').trim();
const styleHash = createHash('sha256').update(style).digest('base64');

/** Where the page is shown: in an iframe on another site, or in the notifications of the user who requested it. */
type Place = 'frame' | 'own';

/** Renders posts as the platform shows them. The pages use no JavaScript and no third-party resources. */
@Injectable()
export class PreviewPages {
  private readonly eta = new Eta({ views: folder, cache: true, autoEscape: true });
  /** Host and path for the content security policy. */
  private readonly media: string;

  constructor(mediaUrls: MediaUrls) {
    this.media = mediaUrls.of('');
  }

  /** Renders only the post, for an iframe. */
  async post(reply: FastifyReply, post: ShownPost): Promise<void> {
    await this.send(reply, 'frame', 'preview', { post });
  }

  /** Renders the post within a timeline. */
  async timeline(reply: FastifyReply, post: ShownPost, about: { prefix: string; username: string }): Promise<void> {
    await this.send(reply, 'own', 'timeline', { post, ...about });
  }

  /** Renders the lines of the notifications page. */
  notifications(lines: NotificationLine[], prefix: string): string {
    return this.eta.render('notifications', { lines: lines.map(shownLine), prefix });
  }

  /** Renders a message instead of a post. */
  async problem(reply: FastifyReply, about: ErrorPage): Promise<void> {
    await this.send(reply.status(about.status), 'frame', 'problem', about);
  }

  private async send(reply: FastifyReply, place: Place, template: string, data: object): Promise<void> {
    const html = this.eta.render(template, { style, ...data });
    await reply.headers(this.headersFor(place)).type('text/html; charset=utf-8').send(html);
  }

  private headersFor(place: Place): Record<string, string> {
    const policy = [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      `img-src ${this.media}`,
      `media-src ${this.media}`,
      "base-uri 'none'",
      "form-action 'none'",
      // Iframes get no frame-ancestors: any page may embed them, and `*` would exclude pages opened from a file.
      ...(place === 'frame' ? ['sandbox allow-popups allow-popups-to-escape-sandbox'] : ["frame-ancestors 'none'"]),
    ].join('; ');
    return {
      'content-security-policy': policy,
      ...(place === 'own' && { 'x-frame-options': 'DENY' }),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    };
  }
}

/** Maximum length of an unnamed draft's text on its line. */
const MAX_LABEL_LENGTH = 80;

function shownLine({ id, draft, accountName, seen, at }: NotificationLine) {
  const text = Array.from(draft?.text.replace(/\s+/g, ' ').trim() ?? '');
  const beginning = text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH - 1).join('')}…` : text.join('');
  const label = draft && (draft.name || beginning || 'A draft without text');
  return { id, label, accountName, isNew: draft !== undefined && !seen, at };
}
