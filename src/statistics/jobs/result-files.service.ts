import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { BlobStore, type ByteRange } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { rows } from '../../common/db/query/rows.js';
import { RESULT_TYPE, resultKey } from './result-blobs.js';
import { ResultLinks } from './result-links.js';
import { StatisticsJob } from './statistics-job.entity.js';

/** The files of jobs. */
@Injectable()
export class ResultFilesService {
  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly links: ResultLinks,
  ) {}

  /** Finds a file to serve; undefined if it does not exist, has expired, or belongs to a deleted account. */
  async find(name: string) {
    const key = this.links.read(name);
    if (!key) return undefined;
    const { manager } = this.db;
    const job = await rows(manager, StatisticsJob)
      .where('accountId', key.accountId)
      .where('id', key.id)
      .whereLiteral('status', 'SUCCESS')
      .whereInSubquery('accountId', rows(manager, Account).where('id', key.accountId), 'id')
      .getOne();
    const left = Math.floor((Date.parse(job?.expiresAt ?? '') - this.clock.ms()) / 1_000);
    if (!job || job.folder === null || !(left > 0)) return undefined;
    return {
      size: job.size!,
      etag: job.sha256!,
      contentType: RESULT_TYPE,
      cacheControl: `private, max-age=${left}, immutable`,
      open: (range?: ByteRange) => this.store.open(resultKey(job), range),
    };
  }
}
