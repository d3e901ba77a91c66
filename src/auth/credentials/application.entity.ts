import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { SealedColumn } from './sealed-columns.js';

export const ACCESS_LEVELS = closedSet('AccessLevel', ['read', 'write']);
/** The access of a token: `write` includes reading. */
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** A public client has no secret: it is an application on a device or in a browser. */
export type ClientType = 'public' | 'confidential';

/** A client program: its consumer key and secret sign requests. */
@Entity('applications')
export class Application extends Resource {
  @Column({ type: 'varchar' }) name: string;
  @IdColumn() ownerId: string;
  @Index({ unique: true }) @Column({ type: 'varchar' }) consumerKey: string;
  /** The consumer secret, sealed by the Vault. */
  @SealedColumn() sealedSecret: string;
  /** The most that its tokens may do. */
  @Column({ type: 'varchar', default: 'write' }) accessLevel: AccessLevel;
  /** Registered callback URLs, at most ten. */
  @Column({ type: 'varchar', array: true, default: '{}' }) callbacks: string[];
  /** `oauth/authenticate` may skip the question it has been answered before. */
  @Column({ type: 'boolean', default: false }) signIn: boolean;
  /** Without a server of its own: PIN only. */
  @Column({ type: 'boolean', default: false }) desktop: boolean;
  /** How it identifies itself in OAuth 2.0; null for an application that does not use it. */
  @Index({ unique: true }) @Column({ type: 'varchar', nullable: true, collation: 'C' }) clientId: string | null;
  /** `confidential` with a secret; `public` for programs on devices and in browsers, which cannot keep one. */
  @Column({ type: 'varchar', nullable: true }) clientType: ClientType | null;
  /** SHA-256 of the client secret, a random text. */
  @Column({ type: 'varchar', nullable: true }) clientSecretHash: string | null;
  /** The scopes that it may ask for. */
  @Column({ type: 'varchar', array: true, default: '{}' }) clientScopes: string[];
  /** True if it may use the advertising endpoints. */
  @Column({ type: 'boolean', default: true }) adsAccess: boolean;
  /** True if it may use only those of them that are about conversions. */
  @Column({ type: 'boolean', default: false }) conversionsOnly: boolean;
  /** A measurement partner: it may report events in apps of all accounts. */
  @Column({ type: 'boolean', default: false }) measurementPartner: boolean;
}
