import type { Type } from '@nestjs/common';
import { AccessToken } from './credentials/access-token.entity.js';
import { Application } from './credentials/application.entity.js';
import { User } from './credentials/user.entity.js';
import { VaultKey } from './credentials/vault-key.entity.js';
import { IdempotentRequest } from './idempotency/idempotent-request.entity.js';
import { RequestToken } from './oauth1/request-token.entity.js';
import { BearerToken } from './bearers/bearer-token.entity.js';
import { NonceEpoch, Replica } from './replay/nonce-epoch.entity.js';
import { HandedOverNonce, NonceGeneration, UsedNonce } from './replay/used-nonce.entity.js';
import { Session } from './sessions/session.entity.js';
import { SignInAttempt } from './sessions/sign-in-attempt.entity.js';

/** The tables of credentials, flows, sessions and replay protection. */
export const AUTH_ENTITIES: Type[] = [
  AccessToken,
  Application,
  BearerToken,
  HandedOverNonce,
  IdempotentRequest,
  NonceEpoch,
  NonceGeneration,
  Replica,
  RequestToken,
  Session,
  SignInAttempt,
  UsedNonce,
  User,
  VaultKey,
];
