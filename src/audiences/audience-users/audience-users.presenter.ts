import { ApiProperty } from '@nestjs/swagger';

const COUNT = { type: 'integer', nullable: true } as const;

export class UploadCountsView {
  /** How many user objects took effect. */
  @ApiProperty({ type: 'integer' }) success_count: number;
  /** How many were sent: as many, or the request was refused as a whole. */
  @ApiProperty({ type: 'integer' }) total_count: number;
}

/** How many identifiers of each kind an audience holds. */
export class IdentifierCountsView {
  /** Of e-mail addresses. */
  @ApiProperty({ type: 'integer' }) email: number;
  /** Of advertising ids of devices. */
  @ApiProperty({ type: 'integer' }) device_id: number;
  /** Of usernames. */
  @ApiProperty({ type: 'integer' }) handle: number;
  /** Of user ids of the platform. */
  @ApiProperty({ type: 'integer' }) platform_id: number;
  /** Of telephone numbers. */
  @ApiProperty({ type: 'integer' }) phone_number: number;
  /** Of the partner's own ids. */
  @ApiProperty({ type: 'integer' }) partner_user_id: number;
}

/** What became of the users that were uploaded; beyond the specification. Accounts that the audience is shared with see `persons_matched` alone. */
export class AudienceDiagnosticsView {
  /** Persons that the audience holds, whether they count now or not. */
  @ApiProperty(COUNT) persons_uploaded: number | null;
  /** Of these, whose time has come and not gone. */
  @ApiProperty(COUNT) persons_valid: number | null;
  /**
   * Of these, who count in the size: users of the platform, or all where all count. Where sizes are protected it is the last
   * `audience_size`, null while that is null.
   */
  @ApiProperty(COUNT) persons_matched: number | null;
  /** Who will belong to it later. */
  @ApiProperty(COUNT) persons_not_yet_effective: number | null;
  /** Who belonged to it. */
  @ApiProperty(COUNT) persons_expired: number | null;
  /** What the persons are known by. */
  @ApiProperty({ type: IdentifierCountsView, nullable: true }) identifiers: IdentifierCountsView | null;
}
