import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { rows } from '../db/query/rows.js';
import { storageQuotaExceeded } from '../errors/catalogue.js';
import type { ApiError } from '../errors/api-error.js';
import { StorageUsage, type StoredKind } from './storage-usage.entity.js';
import type { Amount, StorageQuota } from './storage-usage.js';

/** Unlimited: the maximum that both a number and a bigint column hold. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** The setting and the words of each kind for errors. */
const KINDS: Record<StoredKind, { setting: string; owner: string; stored: string; remedy: string }> = {
  UNFINISHED_UPLOAD_BYTES: {
    setting: 'MAX_UNFINISHED_UPLOAD_BYTES_PER_USER',
    owner: 'User',
    stored: 'bytes of unfinished uploads',
    remedy: 'finish uploads with command=FINALIZE; unfinished uploads expire after a day',
  },
  USER_MEDIA_BYTES: {
    setting: 'MAX_MEDIA_BYTES_PER_USER',
    owner: 'User',
    stored: 'bytes of media',
    remedy: 'media that nothing has used expire after a day',
  },
  ACCOUNT_MEDIA_BYTES: {
    setting: 'MAX_MEDIA_BYTES_PER_ACCOUNT',
    owner: 'Account',
    stored: 'bytes of media in its library',
    remedy: 'delete media from the library',
  },
  AUDIENCE_ROWS: {
    setting: 'MAX_AUDIENCE_ROWS_PER_ACCOUNT',
    owner: 'Account',
    stored: 'audience rows',
    remedy: 'each identifier of a person is a row; delete users, audiences or do-not-reach lists',
  },
  ENGAGEMENTS: {
    setting: 'MAX_ENGAGEMENTS_PER_ACCOUNT',
    owner: 'Account',
    stored: 'engagements',
    remedy: 'engagements are removed after 120 days',
  },
  LEADS: {
    setting: 'MAX_LEADS_PER_ACCOUNT',
    owner: 'Account',
    stored: 'leads',
    remedy: 'leads are removed after 90 days',
  },
};

/** Usage of one kind, and its limit; null when unlimited. */
export interface QuotaUsage {
  used: number;
  limit: number | null;
}

/** Storage limits of users and accounts (`MAX_..._PER_USER`, `MAX_..._PER_ACCOUNT`), and their usage. */
@Injectable()
export class StorageQuotas {
  constructor(
    private readonly db: DataSource,
    private readonly config: Config,
  ) {}

  /** The quota of a user or an account. */
  of(kind: StoredKind, ownerId: string): StorageQuota {
    return { kind, ownerId, quota: this.config.storageQuotas[kind] || UNLIMITED };
  }

  /** An amount that counts in the quota. */
  amount(kind: StoredKind, ownerId: string, by: number): Amount {
    return { ...this.of(kind, ownerId), by };
  }

  /** The usage of a user or an account for these kinds. */
  async usageOf<Kind extends StoredKind>(
    ownerId: string,
    kinds: readonly Kind[],
    db = this.db.manager,
  ): Promise<Record<Kind, QuotaUsage>> {
    const found = await rows(db, StorageUsage).where('ownerId', ownerId).whereIn('kind', kinds).getMany();
    const usage = kinds.map((kind) => {
      const used = found.find((each) => each.kind === kind)?.used ?? 0;
      return [kind, { used, limit: this.config.storageQuotas[kind] || null }];
    });
    return Object.fromEntries(usage) as Record<Kind, QuotaUsage>;
  }

  /** The 403 of an advertising endpoint for a statement that exceeded a quota; call it after the transaction. */
  async refusal(kind: StoredKind, ownerId: string, by?: number, db = this.db.manager): Promise<ApiError> {
    const { message, details } = await this.explain(kind, ownerId, by, db);
    return storageQuotaExceeded(message, details);
  }

  /** The text of an error: usage, limit, and the meaning of the setting. */
  async explain(
    kind: StoredKind,
    ownerId: string,
    by?: number,
    db = this.db.manager,
  ): Promise<{ message: string; details: string }> {
    const { setting, owner, stored, remedy } = KINDS[kind];
    const { used, limit } = (await this.usageOf(ownerId, [kind], db))[kind];
    const adds = by === undefined ? 'this request would exceed the limit' : `this request adds ${by}`;
    return {
      message: `${owner} ${ownerId} stores ${used} of at most ${limit ?? 'any number of'} ${stored}, and ${adds}`,
      details: `${setting} is the limit; ${remedy}, or ask the operator to raise it`,
    };
  }
}
