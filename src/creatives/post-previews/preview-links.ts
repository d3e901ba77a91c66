import { Injectable } from '@nestjs/common';
import { Vault } from '../../auth/credentials/vault.js';
import { Clock } from '../../common/clock.js';
import { Config, withoutSlash } from '../../config.js';
import type { PostType } from '../posts/post.presenter.js';
import type { PreviewedPost } from './previewed-post.js';

/** How long whoever has the URL of a preview can open it. */
const LIFETIME_SECONDS = 24 * 60 * 60;

const PURPOSE = 'post preview';
const LETTERS: Record<PostType, string> = { DRAFT: 'd', PUBLISHED: 'p', SCHEDULED: 's' };
const TYPES = new Map(Object.entries(LETTERS).map(([type, letter]) => [letter, type as PostType]));

/** Longer than any token of ours. */
const MAX_LINK_LENGTH = 300;

/**
 * The URLs of previews. A token says which post of which account it shows and until when, and is signed: nobody can make or
 * change one, and nothing has to be stored for it.
 */
@Injectable()
export class PreviewLinks {
  /** What the URL of every preview begins with. */
  readonly base: string;

  constructor(
    config: Config,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {
    this.base = `${withoutSlash(config.baseUrl)}/previews/`;
  }

  /** The URL that shows a post for a day from now. */
  to({ accountId, postType, postId }: PreviewedPost): string {
    const end = this.clock.seconds() + LIFETIME_SECONDS;
    const text = [LETTERS[postType], accountId, postId, end.toString(36)].join('.');
    return `${this.base}${text}.${this.vault.sign(PURPOSE, text)}`;
  }

  /** What a token shows; `expired` where it did, undefined where we never made it. */
  read(token: string): PreviewedPost | 'expired' | undefined {
    const cut = token.lastIndexOf('.');
    const text = token.slice(0, Math.max(cut, 0));
    if (token.length > MAX_LINK_LENGTH || !this.vault.isSigned(PURPOSE, text, token.slice(cut + 1))) return undefined;
    const [letter, accountId, postId, end] = text.split('.');
    if (parseInt(end, 36) <= this.clock.seconds()) return 'expired';
    return { accountId, postType: TYPES.get(letter)!, postId };
  }
}
