import { Entity, Index } from 'typeorm';
import { FileJob, type FileJobKind } from '../accounts/file-jobs/file-job.js';
import { IdColumn, TimestampColumn, WordColumn } from '../common/entity/columns.js';
import { NotInSnapshots } from '../common/entity/snapshots.js';
import { defineJob } from '../common/jobs/job.js';
import { closedSet } from '../common/values/closed-set.js';
import { VOCABULARIES } from '../config/config.js';
import type { Vocabulary } from '../names/vocabulary.js';

export const LEAD_EXPORT_STATUSES = closedSet('LeadExportStatus', [
  'QUEUED',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
]);
export type LeadExportStatus = (typeof LEAD_EXPORT_STATUSES)[number];

export const LEAD_FILE_FORMATS = closedSet('LeadFileFormat', ['csv', 'json', 'xlsx']);
export type LeadFileFormat = (typeof LEAD_FILE_FORMATS)[number];

/** A request for the leads of a form, which a background job answers with a file of personal data. */
@Entity('lead_exports')
@NotInSnapshots('exports and their files stay until they expire')
@Index('lead_exports_due', ['dueAt'])
export class LeadExport extends FileJob {
  @WordColumn(LEAD_EXPORT_STATUSES) status: LeadExportStatus;
  @IdColumn() leadFormId: string;
  /** The leads submitted from this time on, and before that. */
  @TimestampColumn() startTime: Date;
  @TimestampColumn() endTime: Date;
  @WordColumn(LEAD_FILE_FORMATS) format: LeadFileFormat;
  /** The vocabulary of the request, which the file has, too. */
  @WordColumn(VOCABULARIES) names: Vocabulary;
}

export const WRITE_LEAD_EXPORT = defineJob<{ accountId: string; jobId: string }>('write-lead-export', {
  timeoutSeconds: 600,
  retries: 8,
  turnsBy: 'accountId',
});

export const LEAD_FILES: FileJobKind<LeadExport> = {
  entity: LeadExport,
  unfinished: ['QUEUED', 'PROCESSING'],
  counter: { kind: 'processing lead exports', limit: 20 },
  queue: WRITE_LEAD_EXPORT,
  folder: 'lead-exports',
  extensionOf: ({ format }) => format,
};
