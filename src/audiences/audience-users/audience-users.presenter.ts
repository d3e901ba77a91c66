import { ApiProperty } from '@nestjs/swagger';

const COUNT = { type: 'integer', nullable: true } as const;

export class UploadCountsView {
  /** Number of user objects that took effect. */
  @ApiProperty({ type: 'integer' }) success_count: number;
  /** Number of user objects sent. It equals `success_count`, because an invalid request is rejected as a whole. */
  @ApiProperty({ type: 'integer' }) total_count: number;
}

/** Number of identifiers of each kind in an audience. */
export class IdentifierCountsView {
  /** Number of e-mail addresses. */
  @ApiProperty({ type: 'integer' }) email: number;
  /** Number of advertising ids of devices. */
  @ApiProperty({ type: 'integer' }) device_id: number;
  /** Number of usernames. */
  @ApiProperty({ type: 'integer' }) handle: number;
  /** Number of platform user ids. */
  @ApiProperty({ type: 'integer' }) platform_id: number;
  /** Number of phone numbers. */
  @ApiProperty({ type: 'integer' }) phone_number: number;
  /** Number of the partner's own ids. */
  @ApiProperty({ type: 'integer' }) partner_user_id: number;
}

/**
 * Diagnostics of the uploaded users. Not part of the specification. Accounts with which the audience is shared receive
 * `persons_matched` only.
 */
export class AudienceDiagnosticsView {
  /** Persons in the audience, whether they currently count or not. */
  @ApiProperty(COUNT) persons_uploaded: number | null;
  /** Those of `persons_uploaded` whose membership has begun and has not expired. */
  @ApiProperty(COUNT) persons_valid: number | null;
  /**
   * Those of `persons_valid` that count in the size: platform users, or everyone where all persons count. If sizes are
   * protected, this is the last `audience_size`, and null while that is null.
   */
  @ApiProperty(COUNT) persons_matched: number | null;
  /** Persons whose membership begins later. */
  @ApiProperty(COUNT) persons_not_yet_effective: number | null;
  /** Persons whose membership has expired. */
  @ApiProperty(COUNT) persons_expired: number | null;
  /** Number of identifiers of each kind. */
  @ApiProperty({ type: IdentifierCountsView, nullable: true }) identifiers: IdentifierCountsView | null;
}
