import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { rows } from '../../common/db/query/rows.js';
import { AccessToken } from './access-token.entity.js';
import { Application } from './application.entity.js';
import { CALLERS_CHANNEL } from './callers.service.js';
import { Vault } from './vault.js';

/** The keys and secrets of an application and, if it is known, of one of its tokens. */
export interface IntendedKeys {
  consumerKey: string;
  consumerSecret: string;
  token?: string;
  tokenSecret?: string;
}

/** Secrets are sealed one by one, so that only the newest ones are compared. */
const MAX_OPENED = 100;
/** A client that repeats its mistake costs one search a second. */
const CACHE = { max: 1_000, ttlMs: 1_000 };

/** Finds the keys that clients mean when they use them in the wrong places. */
@Injectable()
export class MistakenKeys {
  private readonly found: SharedCache<{ keys?: IntendedKeys }>;

  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    notifications: DatabaseNotifications,
  ) {
    this.found = new SharedCache(notifications, CALLERS_CHANNEL, CACHE);
  }

  /** The application and token that have one of these texts as a key or as a secret. */
  async find(sent: readonly string[]): Promise<IntendedKeys | undefined> {
    const key = sent.join(' ');
    const known = this.found.get(key);
    if (known) return known.keys;
    const keep = this.found.beginRead();
    const keys = await this.search(sent);
    keep(key, { keys });
    return keys;
  }

  /** The texts that programs use in place of a consumer secret, with their names. */
  async inPlaceOfSecret(applicationId: string): Promise<{ name: string; text: string }[]> {
    const application = await this.applications().where('id', applicationId).getOne();
    const tokens = await this.newestTokensOf(applicationId);
    return [
      ...(application ? [{ name: 'the consumer key', text: application.consumerKey }] : []),
      ...tokens.map(({ sealedSecret }) => ({ name: 'the token secret', text: this.vault.open(sealedSecret) })),
    ];
  }

  private async search(sent: readonly string[]): Promise<IntendedKeys | undefined> {
    const lookups = sent.flatMap((text) => this.vault.lookups(text));
    const [named, pair] = await Promise.all([
      this.applications().whereIn('consumerKey', sent).getOne(),
      this.tokens().whereIn('lookup', lookups).getOne(),
    ]);
    const application =
      (pair && (await this.applications().where('id', pair.applicationId).getOne())) ??
      named ??
      this.withSecret(sent, await this.applications().orderBy('id', 'DESC').limit(MAX_OPENED).getMany());
    if (!application) return undefined;
    const token = pair ?? this.withSecret(sent, await this.newestTokensOf(application.id));
    return {
      consumerKey: application.consumerKey,
      consumerSecret: this.vault.open(application.sealedSecret),
      ...(token && { token: this.vault.open(token.sealedToken), tokenSecret: this.vault.open(token.sealedSecret) }),
    };
  }

  private applications() {
    return rows(this.db.manager, Application);
  }

  private tokens() {
    return rows(this.db.manager, AccessToken).where('revokedAt', null);
  }

  private newestTokensOf(applicationId: string) {
    return this.tokens().where('applicationId', applicationId).orderBy('id', 'DESC').limit(MAX_OPENED).getMany();
  }

  private withSecret<T extends { sealedSecret: string }>(sent: readonly string[], among: readonly T[]): T | undefined {
    return among.find(({ sealedSecret }) => sent.includes(this.vault.open(sealedSecret)));
  }
}
