import { Column, Entity, Index } from 'typeorm';
import { defineResource, limitOfAccount, recordAs } from '../../accounts/resource-definition.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { NotInSnapshots, TextColumn } from '../../common/entity/snapshots.js';
import { tooManyPixelTokens } from '../measurement.errors.js';

/**
 * A token with which a server sends conversions to the pixel of an account, and nothing else. Only its hash is stored: it is
 * a random text, so that nobody finds it from the hash. A revoked token is a deleted row.
 */
@Entity('pixel_tokens')
@NotInSnapshots('a token is a secret of the pixel of its account')
@Index('pixel_tokens_hash', ['hash'], { unique: true })
export class PixelToken extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn() name: string;
  /** SHA-256 of the token. */
  @Column({ type: 'bytea' }) hash: Buffer;
}

export const PIXEL_TOKENS = defineResource<PixelToken>({
  entity: PixelToken,
  name: 'PIXEL_TOKEN',
  label: 'Pixel Token',
  parameter: 'pixel_token_id',
  events: false,
  limits: [limitOfAccount('pixel tokens', 20, tooManyPixelTokens)],
});

/** The history names tokens, and never has their hashes. */
class RecordedPixelToken {
  name: string;
}

recordAs(PIXEL_TOKENS, { view: RecordedPixelToken, also: { name: { type: 'string' } } }, ({ name }) => ({ name }));
