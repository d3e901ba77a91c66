import type { Type } from '@nestjs/common';
import { Membership } from './accounts/access/membership.entity.js';
import { AccountCounts } from './accounts/accounts/account-counts.entity.js';
import { Account } from './accounts/accounts/account.entity.js';
import { Business } from './accounts/accounts/business.entity.js';
import { AccountChange } from './accounts/change-log/account-change.entity.js';
import { PromotableUser } from './accounts/promotable-users/promotable-user.entity.js';
import { AccessToken } from './auth/credentials/access-token.entity.js';
import { Application } from './auth/credentials/application.entity.js';
import { User } from './auth/credentials/user.entity.js';
import { VaultKey } from './auth/credentials/vault-key.entity.js';
import { RequestToken } from './auth/oauth1/request-token.entity.js';
import { BearerToken } from './auth/oauth2/bearer-token.entity.js';
import { NonceEpoch, Replica } from './auth/replay/nonce-epoch.entity.js';
import { HandedOverNonce, NonceGeneration, UsedNonce } from './auth/replay/used-nonce.entity.js';
import { SignInAttempt } from './auth/sessions/sign-in-attempt.entity.js';
import { Session } from './auth/sessions/session.entity.js';
import { Campaign } from './campaigns/campaigns/campaign.entity.js';
import { FundingInstrument } from './campaigns/funding-instruments/funding-instrument.entity.js';
import { JobRow } from './common/jobs/job-row.entity.js';
import { OutgoingEvent } from './webhooks/outbox/outgoing-event.entity.js';

/** Every table; the order has no meaning. */
export const ENTITIES: Type[] = [
  AccessToken,
  Account,
  AccountChange,
  AccountCounts,
  Application,
  BearerToken,
  Business,
  Campaign,
  HandedOverNonce,
  FundingInstrument,
  JobRow,
  Membership,
  NonceEpoch,
  NonceGeneration,
  OutgoingEvent,
  PromotableUser,
  Replica,
  RequestToken,
  Session,
  SignInAttempt,
  UsedNonce,
  User,
  VaultKey,
];
