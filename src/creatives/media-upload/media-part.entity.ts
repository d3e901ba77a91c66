import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One segment of a chunked upload, kept until the parts are put together. */
@Entity('media_parts')
export class MediaPart {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) mediaId: string;
  /** The segment's place, from 0. */
  @PrimaryColumn({ type: 'integer' }) index: number;
  /** In bytes. */
  @Column({ type: 'integer' }) size: number;
  @Column({ type: 'varchar' }) sha256: string;
}
