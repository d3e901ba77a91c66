import { Delete, Get, Param, Post, Req, Res, Controller } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { loadHeaders } from '../../accounts/file-jobs/file-job.js';
import type { Row } from '../../common/db/query/rows.js';
import { Item } from '../../common/http/answers/results.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { addToEcho, Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { isAtX } from '../../names/names-hooks.js';
import { STATISTICS_READ } from '../statistics.permissions.js';
import { ResultLinks, ResultFilesService } from './result-files.service.js';
import type { StatisticsJob } from './statistics-job.entity.js';
import { presentParameters, presentStatisticsJob, StatisticsJobView } from './statistics-job.presenter.js';
import { CreateStatisticsJob, ListStatisticsJobs } from './statistics-jobs.dto.js';
import { StatisticsJobsService } from './statistics-jobs.service.js';
import { ApiExcludeController } from '@nestjs/swagger';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { sendBlob } from '../../common/http/answers/send-blob.js';

/** Serves the files of jobs. The signed path is the only protection, and signatures of clients are ignored. */
@Controller('statistics')
@ApiExcludeController()
export class ResultFilesController {
  constructor(private readonly files: ResultFilesService) {}

  /** Returns the file of a job, in full or as a byte range. */
  @Get(':file')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('file') name: string) {
    const found = await this.files.find(name);
    if (!found) throw pageNotFound();
    await sendBlob(request, reply, found);
  }
}

const OF_ONE = { data_type: 'job' };

/** A job changes nothing of the account, so that roles that read statistics also create and cancel jobs. */
@AccountController('', {
  within: 'stats/jobs',
  tag: 'Statistics',
  reads: STATISTICS_READ,
  writes: STATISTICS_READ,
  scopes: { reads: ['ads.read'], writes: ['ads.read'] },
})
export class StatisticsJobsController {
  constructor(
    private readonly jobs: StatisticsJobsService,
    private readonly links: ResultLinks,
  ) {}

  /**
   * Creates a job that writes the statistics of at most 90 days into a file, or those of at most 45 days divided into
   * segments. List the job until it is no longer in `PROCESSING`. An account has at most 100 jobs in this status: the
   * headers `x-concurrent-job-limit` and `x-concurrent-job-limit-remaining` have the limit and what is left of it.
   */
  @Post()
  @Returns(StatisticsJobView, { status: 201 })
  async create(
    @Req() http: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateStatisticsJob) request: Parsed<CreateStatisticsJob>,
  ) {
    const job = await this.jobs.create(account, request, isAtX(http.raw) ? 'x' : 'marquee');
    addToEcho(http.query, presentParameters(job));
    reply.headers(loadHeaders(await this.jobs.loadOf(account)));
    return this.present(job);
  }

  /**
   * Lists the jobs of the account, newest first. A job is listed until 30 days after its file has expired, or after it has
   * failed or was cancelled.
   */
  @Get()
  @ReturnsPage(StatisticsJobView)
  async list(
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAccount() account: ActingAccount,
    @Params() query: ListStatisticsJobs,
  ) {
    const [page, load] = await Promise.all([this.jobs.list(account, query), this.jobs.loadOf(account)]);
    reply.headers(loadHeaders(load));
    return page.map((job) => this.present(job));
  }

  /** Cancels a job that is in `PROCESSING`. */
  @Delete(':job_id')
  @Returns(StatisticsJobView, OF_ONE)
  async delete(@CurrentAccount() account: ActingAccount, @Param('job_id') id: string) {
    return new Item(this.present(await this.jobs.cancel(account, id)), OF_ONE);
  }

  private present(job: Row<StatisticsJob>): StatisticsJobView {
    return presentStatisticsJob(job, this.links.to(job));
  }
}
