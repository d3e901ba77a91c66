import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One segment of a chunked upload, kept until the segments are joined. */
@Entity('media_parts')
export class MediaPart {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) mediaId: string;
  /** Index of the segment, from 0. */
  @PrimaryColumn({ type: 'integer' }) index: number;
  /** Size in bytes. */
  @Column({ type: 'integer' }) size: number;
  @Column({ type: 'varchar' }) sha256: string;
}
