import { newNumber } from '../../common/entity/ids.js';
import type { AccessLevel, Application } from './application.entity.js';
import { checkedCallbacks } from './callbacks.js';
import { secretText, type KeyAndSecret } from './tokens.js';
import type { Vault } from './vault.js';

/** The settings of a new application. */
export interface NewApplication {
  name: string;
  ownerId: string;
  accessLevel?: AccessLevel;
  callbacks?: string[];
  signIn?: boolean;
  desktop?: boolean;
}

/** The settings of an application to change; absent ones stay as they are. */
export type ApplicationChanges = Partial<
  Pick<Application, 'name' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop' | 'adsAccess'>
>;

/** A new consumer key with its secret, and the columns that store them. */
export function newConsumerKey(vault: Vault): {
  consumer: KeyAndSecret;
  sealed: Pick<Application, 'consumerKey' | 'sealedSecret'>;
} {
  const consumer = { key: secretText(25), secret: secretText(50) };
  return { consumer, sealed: { consumerKey: consumer.key, sealedSecret: vault.seal(consumer.secret) } };
}

/** A new application with its consumer key, not stored yet. */
export function newApplication(
  vault: Vault,
  { name, ownerId, accessLevel = 'write', callbacks = [], signIn = false, desktop = false }: NewApplication,
  now: Date,
): { consumer: KeyAndSecret; fields: Omit<Application, 'deletedAt'> } {
  const { consumer, sealed } = newConsumerKey(vault);
  const fields = {
    id: newNumber(now),
    createdAt: now,
    updatedAt: now,
    name,
    ownerId,
    accessLevel,
    callbacks: checkedCallbacks(callbacks),
    signIn,
    desktop,
    adsAccess: true,
    ...sealed,
  };
  return { consumer, fields };
}
