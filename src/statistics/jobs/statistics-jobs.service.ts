import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { allows } from '../../accounts/access/permission.js';
import { iso, jobHasEnded, MAX_PROCESSING_MS, type JobLoad } from '../../accounts/file-jobs/file-job.js';
import { FileJobs } from '../../accounts/file-jobs/file-jobs.service.js';
import { LocationIds } from '../../audiences/locations/location-ids.service.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import type { Write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { notFound } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { page } from '../../common/list/page.js';
import type { Vocabulary } from '../../names/vocabulary.js';
import { momentOf } from '../account-statistics/statistics-window.rules.js';
import { StatisticsReader } from '../account-statistics/statistics-reader.service.js';
import { validStatistics } from '../account-statistics/valid-statistics.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import { StatisticsJob } from './statistics-job.entity.js';
import { maxDaysOf, STATISTICS_FILES, WRITE_STATISTICS_RESULT } from './statistics-job.rules.js';
import type { CreateStatisticsJob, ListStatisticsJobs } from './statistics-jobs.dto.js';

/** The job of a request. */
type NewJob = Omit<Row<StatisticsJob>, 'id' | 'dueAt' | 'createdAt' | 'updatedAt'>;

/** Requests for statistics that are answered later, with a file. */
@Injectable()
export class StatisticsJobsService {
  constructor(
    private readonly files: FileJobs,
    private readonly reader: StatisticsReader,
    private readonly locationIds: LocationIds,
  ) {}

  /** Stores a job, which a worker takes. `names`: the vocabulary of its file. */
  async create(
    account: ActingAccount,
    request: Parsed<CreateStatisticsJob>,
    names: Vocabulary,
  ): Promise<Row<StatisticsJob>> {
    const prepare = await this.prepare(account, request, names);
    const { value } = await this.loadOf(account);
    const job = await this.store(account, prepare, MAX_PROCESSING_MS, ({ accountId, id }) =>
      // each job of an account delays its next one, so that those of other accounts come first
      enqueueWrite(WRITE_STATISTICS_RESULT, [{ accountId, jobId: id }], { priority: -value }),
    );
    notifyWorkers(account.db, WRITE_STATISTICS_RESULT);
    return job;
  }

  /** Stores a job that no worker takes and that fails after a time: the demo has one to cancel. */
  async createIdle(
    account: ActingAccount,
    request: Parsed<CreateStatisticsJob>,
    failsAfterMs: number,
  ): Promise<Row<StatisticsJob>> {
    return this.store(account, await this.prepare(account, request, 'marquee'), failsAfterMs);
  }

  /** A page of jobs; for roles without access to paid statistics, of those about organic posts. */
  list(account: ActingAccount, query: ListStatisticsJobs): Promise<Page<Row<StatisticsJob>>> {
    return page(this.visibleTo(account).whereIn('id', query.job_ids), query);
  }

  /** Cancels a job that is processing. */
  async cancel(account: ActingAccount, id: string): Promise<Row<StatisticsJob>> {
    const job = await this.visibleTo(account).where('id', id).getOne();
    if (!job) throw notFound('Job', 'job_id', id, account.id);
    const cancelled = await this.files.cancel(STATISTICS_FILES, account, job);
    if (cancelled) return cancelled;
    const ended = await this.visibleTo(account).where('id', id).getOne();
    throw jobHasEnded({ word: 'Job', parameter: 'job_id' }, id, (ended ?? job).status);
  }

  /** The number of processing jobs of an account, and its maximum. */
  loadOf(account: AccountReader): Promise<JobLoad> {
    return this.files.loadOf(STATISTICS_FILES, account);
  }

  private visibleTo(account: ActingAccount): Rows<StatisticsJob> {
    const own = rows(account.db, StatisticsJob).readBy(account).where('accountId', account.id);
    return allows(account.role, PAID_STATISTICS_READ) ? own : own.whereLiteral('entity', 'ORGANIC_POST');
  }

  /** Validates a request as the synchronous endpoint does. The entities must exist now. */
  private async prepare(
    account: ActingAccount,
    request: Parsed<CreateStatisticsJob>,
    names: Vocabulary,
  ): Promise<NewJob> {
    const { timezone } = account;
    const place = { timezone, now: account.now() };
    const isSegmented = request.value('segmentation_type') !== undefined;
    const params = validStatistics(account, request, place, maxDaysOf(isSegmented));
    // without metrics, only the entities are looked up
    await this.reader.read(account, { ...params, metric_groups: [] }, place);
    return {
      accountId: account.id,
      status: 'PROCESSING',
      entity: params.entity,
      entityIds: params.entity_ids,
      startTime: iso(momentOf(params.start_time, timezone)),
      endTime: iso(momentOf(params.end_time, timezone)),
      granularity: params.granularity,
      placement: params.placement,
      metricGroups: params.metric_groups,
      segmentationType: params.segmentation_type ?? null,
      // a replica of an earlier release knows no other value
      country: params.country === undefined ? null : this.locationIds.canonical(params.country),
      platform: params.platform ?? null,
      timezone,
      askedAt: iso(place.now.getTime()),
      names,
      attempt: 0,
      folder: randomBytes(16).toString('hex'),
      size: null,
      sha256: null,
      expiresAt: null,
    };
  }

  /** Stores a job that fails after a time, and what else its statement stores. */
  private store(
    account: ActingAccount,
    prepare: NewJob,
    failsAfterMs: number,
    alsoOf?: (job: Row<StatisticsJob>) => Write,
  ): Promise<Row<StatisticsJob>> {
    const prepared = (now: Date): Row<StatisticsJob> => {
      const [createdAt, dueAt] = [iso(now.getTime()), iso(now.getTime() + failsAfterMs)];
      return { ...prepare, id: newNumber(now), dueAt, createdAt, updatedAt: createdAt };
    };
    return this.files.create(STATISTICS_FILES, account, prepared, alsoOf);
  }
}
