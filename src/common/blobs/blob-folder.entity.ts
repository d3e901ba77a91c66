import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The folder with the files of this installation when `BLOB_STORE` is `disk`: one row, with the content of its marker
 * file.
 */
@Entity('blob_folder')
@Check('blob_folder_one_row', '"id" = 1')
export class BlobFolder {
  @PrimaryColumn({ type: 'smallint' }) id: number;
  @Column({ type: 'varchar', collation: 'C' }) marker: string;
}
