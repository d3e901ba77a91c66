import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ACCOUNTS_CHANNEL } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { secretText } from '../../auth/credentials/tokens.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Clock } from '../../common/time/clock.js';
import { accountOfPixel } from '../entities/pixel-id.js';
import type { PixelAccount } from '../entities/pixel-account.js';
import { PIXEL_TOKENS, PixelToken } from './pixel-token.entity.js';

const TOKEN_LENGTH = 50;
/** Maximum number of tokens that a listing shows, revoked ones included. */
const MAX_LISTED = 200;

/** A pixel as every request with a token needs it: its account, and the hashes of its valid tokens. */
interface Pixel {
  account: Row<Account> | undefined;
  hashes: readonly Buffer[];
}

const hashOf = (token: string) => createHash('sha256').update(token, 'utf8').digest();

/** The tokens of pixels. Several are valid at a time, so that one can follow another without a gap. */
@Injectable()
export class PixelTokensService {
  private readonly pixels: SharedCache<Pixel>;

  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly clock: Clock,
    notifications: DatabaseNotifications,
  ) {
    // an account that is deleted has no pixel
    this.pixels = new SharedCache(notifications, ACCOUNTS_CHANNEL, { max: 10_000 });
  }

  /** The tokens of an account, the newest first. */
  list(account: Pick<ActingAccount, 'id' | 'db'>, { withRevoked = false } = {}): Promise<Row<PixelToken>[]> {
    const tokens = this.resources.of(account, PIXEL_TOKENS).orderBy('id', 'DESC').limit(MAX_LISTED);
    return (withRevoked ? tokens.withDeleted() : tokens).getMany();
  }

  /** Creates a token, which is returned once. */
  async create(account: ActingAccount, name: string): Promise<{ token: string; stored: Row<PixelToken> }> {
    const token = secretText(TOKEN_LENGTH);
    const columns = { accountId: account.id, name, hash: hashOf(token) };
    const stored = await this.resources.create(account, PIXEL_TOKENS, columns);
    await this.pixels.invalidate(account.db, account.id);
    return { token, stored };
  }

  /** Revokes a token: all replicas reject it at once. */
  async revoke(account: ActingAccount, id: string): Promise<Row<PixelToken>> {
    const revoked = await this.resources.delete(account, PIXEL_TOKENS, id);
    await this.pixels.invalidate(account.db, account.id);
    return revoked;
  }

  /**
   * The account of a pixel with a valid token; undefined for a wrong token and for an unknown pixel. Both are read and
   * compared like a right one, so that the time tells nothing.
   */
  async authenticate(pixelId: string, token: string): Promise<PixelAccount | undefined> {
    const { account, hashes } = await this.pixelOf(accountOfPixel(pixelId));
    const given = hashOf(token);
    const isValid = hashes.filter((hash) => timingSafeEqual(hash, given)).length > 0;
    return isValid ? this.pixelAccount(account) : undefined;
  }

  /** The account of a pixel, on behalf of a browser, which has no token; undefined for an unknown pixel. */
  async accountOf(pixelId: string): Promise<PixelAccount | undefined> {
    return this.pixelAccount((await this.pixelOf(accountOfPixel(pixelId))).account);
  }

  private pixelAccount(account: Row<Account> | undefined): PixelAccount | undefined {
    return account && { ...account, db: this.db.manager, now: this.clock.timeOf(account) };
  }

  private async pixelOf(accountId: string): Promise<Pixel> {
    const known = this.pixels.get(accountId);
    if (known) return known;
    const keep = this.pixels.beginRead();
    const { manager } = this.db;
    const [account, tokens] = await Promise.all([
      rows(manager, Account).where('id', accountId).getOne(),
      rows(manager, PixelToken).where('accountId', accountId).limit(MAX_LISTED).getMany(),
    ]);
    const pixel = { account, hashes: tokens.map(({ hash }) => hash) };
    // the time of a test clock changes without an invalidation
    if (!account || account.frozenTime === null) keep(accountId, pixel);
    return pixel;
  }
}
