import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import type { Problem } from '../../auth/pages/pages.js';
import { MediaUrls } from '../media-files/media-urls.js';
import type { NotificationLine } from './preview-notifications.service.js';
import type { ShownPost } from './preview-post.rules.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const style = readFileSync(new URL('./style.eta', import.meta.url), 'utf8').trim();
const styleHash = createHash('sha256').update(style).digest('base64');

/** Where the page of a post is looked at: in the frames of others, or among the notifications of who asked for it. */
type Place = 'frame' | 'own';

/** Renders posts as they look on the platform. The pages need no JavaScript and nothing that does not come from us. */
@Injectable()
export class PreviewPages {
  private readonly eta = new Eta({ views: folder, cache: true, autoEscape: true });
  /** A host and a path, as a policy takes them. */
  private readonly media: string;

  constructor(mediaUrls: MediaUrls) {
    this.media = mediaUrls.of('');
  }

  /** The post alone, to be framed. */
  async post(reply: FastifyReply, post: ShownPost): Promise<void> {
    await this.send(reply, 'frame', 'preview', { post });
  }

  /** The post among others, as its readers would come across it. */
  async timeline(reply: FastifyReply, post: ShownPost, about: { prefix: string; username: string }): Promise<void> {
    await this.send(reply, 'own', 'timeline', { post, ...about });
  }

  /** The lines of the page of notifications, as its content. */
  notifications(lines: NotificationLine[], prefix: string): string {
    return this.eta.render('notifications', { lines: lines.map(shownLine), prefix });
  }

  /** A sentence in place of a post. */
  async problem(reply: FastifyReply, about: Problem): Promise<void> {
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
      // No frame-ancestors in a frame: any page may show it, and `*` would leave out pages that are opened as a file.
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

/** How much of a draft without a name stands in the line that names it. */
const MAX_LABEL_LENGTH = 80;

function shownLine({ id, draft, accountName, seen, at }: NotificationLine) {
  const text = Array.from(draft?.text.replace(/\s+/g, ' ').trim() ?? '');
  const beginning = text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH - 1).join('')}…` : text.join('');
  const label = draft && (draft.name || beginning || 'A draft without text');
  return { id, label, accountName, isNew: draft !== undefined && !seen, at };
}
