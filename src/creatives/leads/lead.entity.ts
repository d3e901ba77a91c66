import { Column, Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import type { LeadFieldKey } from '../lead-forms/lead-form.entity.js';

/** How long leads are kept, in days. */
export const LEAD_DAYS = 90;

/** What a person filled in, by the key of the field. An optional field may be missing. */
export type LeadValues = Partial<Record<LeadFieldKey, string>>;

/**
 * What a person submitted with a lead form: personal data, of which no log, event or journal has anything. The id has the time
 * of the service; the account may follow a test clock.
 */
@Entity('leads')
@NotInSnapshots('leads are of people, whatever state the account has')
@Index('leads_of_form', ['accountId', 'leadFormId', 'submittedAt', 'id'])
@Index('leads_by_id', ['id'])
export class Lead {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) id: string;
  @IdColumn() leadFormId: string;
  @Column({ type: 'json' }) fieldValues: LeadValues;
  @TimestampColumn() submittedAt: Date;
  /** The post whose card led to the form, and the line item that promoted it with its campaign; null if nothing did. */
  @IdColumn({ nullable: true }) postId: string | null;
  @IdColumn({ nullable: true }) campaignId: string | null;
  @IdColumn({ nullable: true }) lineItemId: string | null;
}
