import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An identifier of a directory user, matched with advertisers' uploads. It belongs to one user. */
@Entity('directory_identifiers')
export class DirectoryIdentifier {
  /** The index of its kind in IDENTIFIER_KINDS. */
  @PrimaryColumn({ type: 'smallint' }) kind: number;
  /** The SHA-256 of the normalised value, 32 bytes. */
  @PrimaryColumn({ type: 'bytea' }) hash: Buffer;
  /** The number of its DirectoryUser. */
  @Index('directory_identifiers_of_user')
  @Column({ type: 'integer' })
  number: number;
}
