import { newId } from '../../common/entity/ids.js';
import type { AccessToken } from './access-token.entity.js';
import { accessTokenText, secretText, type KeyAndSecret } from './tokens.js';
import type { Vault } from './vault.js';

/** A new access token for an application to act for a user, not stored yet. */
export function newAccessToken(
  vault: Vault,
  owner: Pick<AccessToken, 'userId' | 'applicationId' | 'accessLevel' | 'source'>,
  now: Date,
): { pair: KeyAndSecret; token: AccessToken } {
  const pair = { key: accessTokenText(owner.userId), secret: secretText(45) };
  const token: AccessToken = {
    id: newId(now),
    lookup: vault.lookup(pair.key),
    sealedToken: vault.seal(pair.key),
    sealedSecret: vault.seal(pair.secret),
    createdAt: now,
    revokedAt: null,
    ...owner,
  };
  return { pair, token };
}
