import { Injectable } from '@nestjs/common';
import { Vault } from '../../auth/credentials/vault.js';
import { Clock } from '../../common/time/clock.js';
import type { Row } from '../../common/db/query/rows.js';
import { Config, withoutSlash } from '../../config/config.js';
import type { StatisticsJob } from './statistics-job.entity.js';
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
