import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The folder that holds the files of this installation where `BLOB_STORE` is `disk`: one row, with what its marker file says. */
@Entity('blob_folder')
@Check('blob_folder_one_row', '"id" = 1')
export class BlobFolder {
  @PrimaryColumn({ type: 'smallint' }) id: number;
  @Column({ type: 'varchar', collation: 'C' }) marker: string;
}
