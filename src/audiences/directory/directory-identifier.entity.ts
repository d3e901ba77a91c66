import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a user of the directory is known by, to be matched with what advertisers upload. It belongs to one user. */
@Entity('directory_identifiers')
export class DirectoryIdentifier {
  /** The place of its kind in IDENTIFIER_KINDS. */
  @PrimaryColumn({ type: 'smallint' }) kind: number;
  /** The SHA-256 of the normalised value, 32 bytes. */
  @PrimaryColumn({ type: 'bytea' }) hash: Buffer;
  /** Whose it is: the number of the DirectoryUser. */
  @Index('directory_identifiers_of_user')
  @Column({ type: 'integer' })
  number: number;
}
