import { Injectable } from '@nestjs/common';
import { Vault } from '../../auth/credentials/vault.js';
import { Clock } from '../../common/time/clock.js';
import { Config, withoutSlash } from '../../config/config.js';
import type { PostType } from '../posts/post.presenter.js';

/** The post of a preview, and its account. */
export interface PreviewedPost {
  accountId: string;
  postType: PostType;
  postId: string;
  /** The user who requested the preview, if what it shows depends on it. */
  viewerId?: string;
}

/** Lifetime of a preview URL. */
const LIFETIME_SECONDS = 24 * 60 * 60;

const PURPOSE = 'post preview';
const LETTERS: Record<PostType, string> = { DRAFT: 'd', PUBLISHED: 'p', SCHEDULED: 's' };
const TYPES = new Map(Object.entries(LETTERS).map(([type, letter]) => [letter, type as PostType]));

/** Longer than any token of this service. */
const MAX_LINK_LENGTH = 300;

/**
 * Creates and reads preview URLs. A signed token contains the post, the account and the expiry, so that nobody can
 * forge one and nothing is stored.
 */
@Injectable()
export class PreviewLinks {
  /** Prefix of all preview URLs. */
  readonly base: string;

  constructor(
    config: Config,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {
    this.base = `${withoutSlash(config.baseUrl)}/previews/`;
  }

  /** Returns a URL that shows the post for one day from `now`, the time of the account. */
  to({ accountId, postType, postId, viewerId }: PreviewedPost, now = this.clock.now()): string {
    const end = Math.floor(now.getTime() / 1_000) + LIFETIME_SECONDS;
    const viewer = viewerId === undefined ? [] : [viewerId];
    const text = [LETTERS[postType], accountId, postId, end.toString(36), ...viewer].join('.');
    return `${this.base}${text}.${this.vault.sign(PURPOSE, text)}`;
  }

  /** Reads a token: the post, and when the token expires. Undefined for a token that this service did not create. */
  read(token: string): (PreviewedPost & { expiresAt: Date }) | undefined {
    const cut = token.lastIndexOf('.');
    const text = token.slice(0, Math.max(cut, 0));
    if (token.length > MAX_LINK_LENGTH || !this.vault.isSigned(PURPOSE, text, token.slice(cut + 1))) return undefined;
    const [letter, accountId, postId, end, viewerId] = text.split('.') as [string, string, string, string, string?];
    const expiresAt = new Date(parseInt(end, 36) * 1_000);
    return { accountId, postType: TYPES.get(letter)!, postId, viewerId, expiresAt };
  }
}
