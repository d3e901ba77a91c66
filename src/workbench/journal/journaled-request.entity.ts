import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

/** A request of an application and its response, as the journal keeps them for a day. */
@Entity('journaled_requests')
@NotInSnapshots('the journal belongs to applications')
@Index('journaled_requests_of_application', ['applicationId', 'id'])
@Index('journaled_requests_kept', ['applicationId', 'rejected', 'id'])
export class JournaledRequest {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() applicationId: string;
  /** The `x-request-id` of the response. Clients may choose it, so several requests may have the same one. */
  @IdColumn() requestId: string;
  /** When the request arrived. */
  @TimestampColumn() createdAt: Date;
  @Column({ type: 'varchar', collation: 'C' }) method: string;
  /** The path of the URL, without the query. */
  @Column({ type: 'varchar', collation: 'C' }) path: string;
  @Column({ type: 'int' }) status: number;
  /** True if nobody was authenticated, so that anybody may have sent it. Such requests displace no others. */
  @Column({ type: 'boolean', default: false }) rejected: boolean;
  /** True if no endpoint has this path and method. */
  @Column({ type: 'boolean', default: false }) unmatched: boolean;
  @Column({ type: 'double precision' }) durationMs: number;
  /** The account in the path, if the caller may access it. */
  @IdColumn({ nullable: true }) accountId: string | null;
  /** The user who signed the request; null if the signature is invalid, or if an application acts for itself. */
  @IdColumn({ nullable: true }) userId: string | null;
  /** `RecordedDetail` as JSON. As text, because it may contain characters that PostgreSQL's JSON types reject. */
  @Column({ type: 'text' }) detail: string;
}
