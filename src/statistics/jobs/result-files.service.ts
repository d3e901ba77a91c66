import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { BlobStore, type ByteRange } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { StatisticsJob } from './statistics-job.entity.js';
import { Vault } from '../../auth/credentials/vault.js';
import { Config, withoutSlash } from '../../config/config.js';
import type { JobKey } from './statistics-jobs.statements.js';

const PURPOSE = 'statistics file';
const EXTENSION = '.json.gz';
/** Longer than any name of this service. */
const MAX_NAME_LENGTH = 200;

/**
 * URLs of the files of jobs. Clients fetch them by the path alone, with or without a signature of theirs, so the path has a
 * signature of this service.
 */
@Injectable()
export class ResultLinks {
  private readonly base: string;

  constructor(
    config: Config,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {
    this.base = `${withoutSlash(config.baseUrl)}/statistics/`;
  }

  /** The URL of the file of a job; null if it has none, or none any more. */
  to({ accountId, id, folder, expiresAt }: Row<StatisticsJob>): string | null {
    if (expiresAt === null || folder === null || Date.parse(expiresAt) <= this.clock.ms()) return null;
    const text = `${accountId}.${id}`;
    return `${this.base}${text}.${this.vault.sign(PURPOSE, text)}${EXTENSION}`;
  }

  /** The job whose file has this name; undefined for a name that this service did not create. */
  read(name: string): JobKey | undefined {
    if (name.length > MAX_NAME_LENGTH || !name.endsWith(EXTENSION)) return undefined;
    const [accountId, id, signature, ...others] = name.slice(0, -EXTENSION.length).split('.');
    if (signature === undefined || others.length > 0) return undefined;
    return this.vault.isSigned(PURPOSE, `${accountId}.${id}`, signature) ? { accountId, id } : undefined;
  }
}

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

/** Exactly this type makes SDKs unpack the file. */
export const RESULT_TYPE = 'application/gzip';

/** The key below which the files of a job are, one for each worker. */
export const resultFolder = (folder: string): string => `statistics/${folder}`;

/** The key of the file that the last worker of a job writes. */
export const resultKey = ({ folder, attempt }: Pick<Row<StatisticsJob>, 'folder' | 'attempt'>): string =>
  `${resultFolder(folder!)}/${attempt}.json.gz`;
