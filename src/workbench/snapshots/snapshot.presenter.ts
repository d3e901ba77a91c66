import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { RESET_STATES, type ResetState } from './snapshots.dto.js';
import type { Snapshot } from './snapshot.entity.js';

/** A snapshot, without its content. */
export class SnapshotView {
  /** The accounts whose state it has. */
  @ApiProperty({ type: 'array', items: { ...ID, type: 'string' }, example: ['18ce54d4x5t'] }) account_ids: string[];
  /** The size of its content. */
  @ApiProperty({ type: 'integer', example: 20_480 }) bytes: number;
  /** When a snapshot of this name was first saved. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** The id of the snapshot. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** Its name, unique in the application. */
  @ApiProperty({ type: String, example: 'autumn' }) name: string;
  /** The number of its rows. */
  @ApiProperty({ type: 'integer', example: 42 }) rows: number;
  /** When it was last saved. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() updated_at: string;
}

/** The result of a deletion. */
export class SnapshotDeletedView {
  /** Always true. */
  @ApiProperty({ example: true }) deleted: boolean;
}

/** The accounts that a reset concerned. */
export class ResetView {
  /** The accounts. */
  @ApiProperty({ type: 'array', items: { ...ID, type: 'string' }, example: ['18ce54d4x5t'] }) account_ids: string[];
  /** What they have now. */
  @ApiProperty(enumSchema(RESET_STATES)) @Unescaped() to: ResetState;
}

export const presentSnapshot = (snapshot: Row<Snapshot>): SnapshotView => ({
  account_ids: snapshot.accountIds,
  bytes: snapshot.bytes,
  created_at: wireTime(snapshot.createdAt),
  id: snapshot.id,
  name: snapshot.name,
  rows: snapshot.rows,
  updated_at: wireTime(snapshot.updatedAt),
});
