import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../common/db/postgres/type-parsers.js';
import type { Row } from '../common/db/query/rows.js';
import { TIME, Unescaped } from '../common/http/answers/responses.js';
import { enumSchema, UUID } from '../common/http/params/fields.js';
import {
  LEAD_EXPORT_STATUSES,
  LEAD_FILE_FORMATS,
  type LeadExport,
  type LeadExportStatus,
  type LeadFileFormat,
} from './lead-export.entity.js';
import { EXPORTED_TYPES } from './lead-exports.dto.js';

const UUID_VIEW = { type: String, pattern: UUID.pattern.source };
const EPOCH = { type: 'integer', format: 'int64' } as const;

export class LeadExportView {
  /** The id of the export. */
  @ApiProperty(UUID_VIEW) @Unescaped() id: string;
  /** What is exported. */
  @ApiProperty(enumSchema(EXPORTED_TYPES)) @Unescaped() entity_type: 'leads';
  /** The lead form. */
  @ApiProperty(UUID_VIEW) @Unescaped() lead_form_id: string;
  /** Start of the time range, inclusive, in seconds since 1970. */
  @ApiProperty(EPOCH) start_epoch: number;
  /** End of the time range, exclusive, in seconds since 1970. */
  @ApiProperty(EPOCH) end_epoch: number;
  /** The format of the file. */
  @ApiProperty(enumSchema(LEAD_FILE_FORMATS)) @Unescaped() response_format: LeadFileFormat;
  /** The status. An export that takes longer than an hour fails. */
  @ApiProperty(enumSchema(LEAD_EXPORT_STATUSES)) @Unescaped() status: LeadExportStatus;
  /**
   * The URL of the file for the user who reads this. Requests for it need no signature; it works while the user is an
   * administrator of the account. Null until the export succeeds, and after `expires_at`.
   */
  @ApiProperty({ type: String, format: 'uri', nullable: true }) download_url: string | null;
  /** When the file is deleted, 48 hours after the success. Null unless the export succeeded. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() expires_at: string | null;
  /** When the export was created. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** When the status changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
}

const inSeconds = (time: string): number => Date.parse(time) / 1_000;

/** An export; `url` leads to its file, and is null without one. */
export const presentLeadExport = (lead: Row<LeadExport>, url: string | null): LeadExportView => ({
  id: lead.id,
  entity_type: 'leads',
  lead_form_id: lead.leadFormId,
  start_epoch: inSeconds(lead.startTime),
  end_epoch: inSeconds(lead.endTime),
  response_format: lead.format,
  status: lead.status,
  download_url: url,
  expires_at: wireTime(lead.expiresAt),
  created_at: wireTime(lead.createdAt),
  updated_at: wireTime(lead.updatedAt),
});
