import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import type { JobKey } from '../../accounts/file-jobs/file-job.js';
import { FileJobs } from '../../accounts/file-jobs/file-jobs.service.js';
import { SignedNames } from '../../accounts/file-jobs/signed-names.js';
import { Vault } from '../../auth/credentials/vault.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Clock } from '../../common/time/clock.js';
import { Config, withoutSlash } from '../../config/config.js';
import { StatisticsJob } from './statistics-job.entity.js';
import { STATISTICS_FILES } from './statistics-job.rules.js';

const EXTENSION = '.json.gz';

/**
 * URLs of the files of jobs. Clients fetch them by the path alone, with or without a signature of theirs, so the path has a
 * signature of this service.
 */
@Injectable()
export class ResultLinks {
  private readonly base: string;
  private readonly names: SignedNames;

  constructor(
    config: Config,
    vault: Vault,
    private readonly clock: Clock,
  ) {
    this.base = `${withoutSlash(config.baseUrl)}/statistics/`;
    this.names = new SignedNames(vault, 'statistics file');
  }

  /** The URL of the file of a job; null if it has none, or none any more. */
  to({ accountId, id, folder, expiresAt }: Row<StatisticsJob>): string | null {
    if (expiresAt === null || folder === null || Date.parse(expiresAt) <= this.clock.ms()) return null;
    return `${this.base}${this.names.of([accountId, id], EXTENSION)}`;
  }

  /** The job whose file has this name; undefined for a name that this service did not create. */
  read(name: string): JobKey | undefined {
    const [accountId, id] = this.names.read(name, EXTENSION) ?? [];
    return id === undefined ? undefined : { accountId, id };
  }
}

/** The files of jobs. */
@Injectable()
export class ResultFilesService {
  constructor(
    private readonly db: DataSource,
    private readonly files: FileJobs,
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
      .whereInSubquery('accountId', rows(manager, Account).where('id', key.accountId), 'id')
      .getOne();
    return this.files.fileOf(STATISTICS_FILES, job, RESULT_TYPE);
  }
}

/** Exactly this type makes SDKs unpack the file. */
export const RESULT_TYPE = 'application/gzip';
