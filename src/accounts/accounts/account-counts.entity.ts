import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What the limits of an account count, raised and lowered by the very statements that store: exact however many replicas
 * write. Every account has its row from the moment it is made.
 */
@Entity('account_counts')
@Check('account_counts_active_campaigns', '"activeCampaigns" >= 0')
export class AccountCounts {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @Column({ type: 'integer', default: 0 }) activeCampaigns: number;
  /** 200 unless the operator raised it, at most 8,000 (Part 3, 8). */
  @Column({ type: 'integer', default: 200 }) activeCampaignLimit: number;
}
