import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { Membership } from '../accounts/access/membership.entity.js';
import { allows } from '../accounts/access/permission.js';
import { Account } from '../accounts/entities/account.entity.js';
import { iso, jobHasEnded, loadHeaders, MAX_PROCESSING_MS, type JobKey } from '../accounts/file-jobs/file-job.js';
import { FileJobs } from '../accounts/file-jobs/file-jobs.service.js';
import { SignedNames } from '../accounts/file-jobs/signed-names.js';
import { removedWithAccounts } from '../accounts/removed-with-accounts.js';
import { User } from '../auth/credentials/user.entity.js';
import { Vault } from '../auth/credentials/vault.js';
import { rows, type Row } from '../common/db/query/rows.js';
import type { Write } from '../common/db/query/write.js';
import { newUuid } from '../common/entity/ids.js';
import { notFound } from '../common/errors/catalogue.js';
import { enqueueWrite, notifyWorkers } from '../common/jobs/enqueue.js';
import { defineJob, type JobAttempt } from '../common/jobs/job.js';
import { Jobs } from '../common/jobs/jobs.js';
import { Clock } from '../common/time/clock.js';
import { Config, withoutSlash } from '../config/config.js';
import { LeadForm, type LeadFieldKey } from '../creatives/lead-forms/lead-form.entity.js';
import type { Lead } from '../creatives/leads/lead.entity.js';
import { LeadsService } from '../creatives/leads/leads.service.js';
import { swapName } from '../names/swap.js';
import type { Vocabulary } from '../names/vocabulary.js';
import { LEAD_FILES, LeadExport, WRITE_LEAD_EXPORT } from './lead-export.entity.js';
import { hasNoFile } from './lead-exports.errors.js';
import { LEADS_EXPORT } from './lead-exports.permissions.js';
import type { CreateLeadExport } from './lead-exports.dto.js';
import { keysOfLeads, leadsAfter, type Position } from './lead-exports.statements.js';
import { LEAD_FILE_TYPES, leadFile } from './lead-file.js';

/** No retries: the next run starts in a minute. */
const LEAD_EXPORTS_UPKEEP = defineJob('lead-exports-upkeep', { timeoutSeconds: 120, retries: 0 });
const REMOVE_LEAD_EXPORTS = removedWithAccounts('remove-lead-exports');

/** Leads per statement, and in memory. */
const PAGE = 500;
/** Leads of which a statement collects the keys. */
const KEYS_PAGE = 20_000;
const FIRST = { submittedAt: '-infinity', id: '' };

/** Requests for leads that are answered later, with a file. */
@Injectable()
export class LeadExportsService implements OnModuleInit {
  private readonly names: SignedNames;
  private readonly base: string;

  constructor(
    config: Config,
    vault: Vault,
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly files: FileJobs,
    private readonly leads: LeadsService,
  ) {
    this.names = new SignedNames(vault, 'lead export');
    this.base = `${withoutSlash(config.baseUrl)}/lead-exports/`;
  }

  onModuleInit(): void {
    this.jobs.work(WRITE_LEAD_EXPORT, ({ accountId, jobId }, attempt) => this.write({ accountId, id: jobId }, attempt));
    this.jobs.work(LEAD_EXPORTS_UPKEEP, (_, { signal }) => this.keepUp(signal));
    this.jobs.schedule(LEAD_EXPORTS_UPKEEP, { everySeconds: 60 });
    this.jobs.work(REMOVE_LEAD_EXPORTS, ({ accountId }) => this.files.endAllOf(LEAD_FILES, accountId));
  }

  /** Stores an export, which a worker takes. `names`: the vocabulary of its file. */
  async create(account: ActingAccount, params: CreateLeadExport, names: Vocabulary): Promise<Row<LeadExport>> {
    const { value } = await this.files.loadOf(LEAD_FILES, account);
    const stored = await this.store(account, params, names, MAX_PROCESSING_MS, ({ accountId, id }) =>
      // each export of an account delays its next one, so that those of other accounts come first
      enqueueWrite(WRITE_LEAD_EXPORT, [{ accountId, jobId: id }], { priority: -value }),
    );
    notifyWorkers(account.db, WRITE_LEAD_EXPORT);
    return stored;
  }

  /** Stores an export that no worker takes and that fails after a time: the demo has one to cancel. */
  createIdle(account: ActingAccount, params: CreateLeadExport, failsAfterMs: number): Promise<Row<LeadExport>> {
    return this.store(account, params, 'marquee', failsAfterMs);
  }

  private async store(
    account: ActingAccount,
    params: CreateLeadExport,
    names: Vocabulary,
    failsAfterMs: number,
    alsoOf?: (job: Row<LeadExport>) => Write,
  ): Promise<Row<LeadExport>> {
    const { lead_form_id: leadFormId, response_format: format = 'json' } = params;
    const open = await this.leads.openForms(account.db, account.id, [leadFormId]);
    if (!open.has(leadFormId)) throw notFound('Lead Form', 'lead_form_id', leadFormId, account.id);
    const prepare = (now: Date): Row<LeadExport> => {
      const [createdAt, dueAt] = [iso(now.getTime()), iso(now.getTime() + failsAfterMs)];
      return {
        ...{ accountId: account.id, id: newUuid(now), status: 'QUEUED', leadFormId, format, names },
        ...{ startTime: iso(params.start_epoch * 1_000), endTime: iso(params.end_epoch * 1_000) },
        ...{ attempt: 0, folder: randomBytes(16).toString('hex'), size: null, sha256: null, expiresAt: null },
        ...{ dueAt, createdAt, updatedAt: createdAt },
      };
    };
    return this.files.create(LEAD_FILES, account, prepare, alsoOf);
  }

  async get(account: ActingAccount, id: string): Promise<Row<LeadExport>> {
    const found = await rows(account.db, LeadExport)
      .readBy(account)
      .where('accountId', account.id)
      .where('id', id)
      .getOne();
    if (!found) throw notFound('Export', 'export_id', id, account.id);
    return found;
  }

  /** Cancels an export that has not ended. */
  async cancel(account: ActingAccount, id: string): Promise<Row<LeadExport>> {
    const found = await this.get(account, id);
    const cancelled = await this.files.cancel(LEAD_FILES, account, found);
    if (cancelled) return cancelled;
    const { status } = await this.get(account, id);
    throw jobHasEnded({ word: 'Export', parameter: 'export_id' }, id, status);
  }

  /** The headers with the number of exports that an account may have in progress. */
  async loadOf(account: ActingAccount): Promise<Record<string, string>> {
    return loadHeaders(await this.files.loadOf(LEAD_FILES, account));
  }

  /** The file of an export; 400 unless it has succeeded, and after it has expired. */
  async fileOf(account: ActingAccount, id: string) {
    const found = await this.get(account, id);
    const file = this.served(found);
    if (!file) throw hasNoFile(id, found.status);
    return file;
  }

  /** The URL with which a user fetches a file; null without one. */
  urlOf(userId: string, { accountId, id, format, ...found }: Row<LeadExport>): string | null {
    if (found.expiresAt === null || found.folder === null || Date.parse(found.expiresAt) <= this.clock.ms())
      return null;
    return `${this.base}${this.names.of([accountId, id, userId], `.${format}`)}`;
  }

  /**
   * The file of a URL; undefined if it does not exist, has expired, belongs to a deleted account, or if its user may not export
   * leads of the account any more.
   */
  async fileAt(name: string) {
    const [accountId, id, userId] = this.names.read(name, name.slice(name.lastIndexOf('.'))) ?? [];
    if (userId === undefined) return undefined;
    const { manager } = this.db;
    const [found, account, membership, user] = await Promise.all([
      rows(manager, LeadExport).where('accountId', accountId).where('id', id).getOne(),
      rows(manager, Account).where('id', accountId).getOne(),
      rows(manager, Membership).where('accountId', accountId).where('userId', userId).getOne(),
      rows(manager, User).where('id', userId).where('suspendedAt', null).getOne(),
    ]);
    const isAllowed = account && user && membership && allows(membership.role, LEADS_EXPORT);
    return found && isAllowed && name.endsWith(`.${found.format}`) ? this.served(found) : undefined;
  }

  /** Writes the file of an export and ends it. */
  write(key: JobKey, attempt: Pick<JobAttempt, 'number' | 'signal'>): Promise<void> {
    return this.files.run(LEAD_FILES, key, attempt, {
      contentOf: (job, isNeeded) => this.contentOf(job, isNeeded),
      contentType: ({ format }) => LEAD_FILE_TYPES[format],
    });
  }

  /** Does what is due. */
  keepUp(signal?: AbortSignal): Promise<void> {
    return this.files.keepUp(LEAD_FILES, signal);
  }

  private served(found: Row<LeadExport>) {
    const file = this.files.fileOf(LEAD_FILES, found, LEAD_FILE_TYPES[found.format]);
    return file && { ...file, cacheControl: 'private, no-store', name: `leads-${found.id}.${found.format}` };
  }

  private async contentOf(job: Row<LeadExport>, isNeeded: () => Promise<void>): Promise<Readable> {
    const { manager } = this.db;
    const form = await rows(manager, LeadForm)
      .withDeleted()
      .where('accountId', job.accountId)
      .where('id', job.leadFormId)
      .getOne();
    const asked = (form?.fields ?? []).map(({ key }) => key);
    const keys = [...new Set([...asked, ...(await this.keysOf(job, isNeeded)).sort()])];
    const nameOf = (column: string) => (job.names === 'x' ? swapName(column) : column);
    return leadFile(job.format, { keys, nameOf }, this.pagesOf(job, isNeeded));
  }

  private async keysOf(job: Row<LeadExport>, isNeeded: () => Promise<void>): Promise<LeadFieldKey[]> {
    const keys = new Set<LeadFieldKey>();
    for (let after: Position = FIRST; ;) {
      await isNeeded();
      const page = await keysOfLeads(this.db.manager, job, after, KEYS_PAGE);
      if (!page) return [...keys];
      for (const key of page.keys) keys.add(key);
      after = page;
    }
  }

  private async *pagesOf(job: Row<LeadExport>, isNeeded: () => Promise<void>): AsyncGenerator<Row<Lead>[]> {
    for (let after: Position = FIRST; ;) {
      await isNeeded();
      const page = await leadsAfter(this.db.manager, job, after, PAGE);
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)!;
    }
  }
}
