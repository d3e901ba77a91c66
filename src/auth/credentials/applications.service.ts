import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { newNumber } from '../../common/entity/ids.js';
import { Clock } from '../../common/time/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import type { Scope } from './scopes.js';
import { Application, type AccessLevel, type ClientType } from './application.entity.js';
import { ApplicationQueries } from './application.queries.js';
import { checkedCallbacks } from './callbacks.js';
import { CallersService } from './callers.service.js';
import { hashOfSecret, secretText, type KeyAndSecret } from './tokens.js';
import { Vault } from './vault.js';

const CLIENT_SECRET_LENGTH = 50;

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
type ApplicationChanges = Partial<
  Pick<
    Application,
    'name' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop' | 'adsAccess' | 'conversionsOnly' | 'measurementPartner'
  >
>;

/** A new consumer key with its secret, and the columns that store them. */
function newConsumerKey(vault: Vault): {
  consumer: KeyAndSecret;
  sealed: Pick<Application, 'consumerKey' | 'sealedSecret'>;
} {
  const consumer = { key: secretText(25), secret: secretText(50) };
  return { consumer, sealed: { consumerKey: consumer.key, sealedSecret: vault.seal(consumer.secret) } };
}

/** A new application with its consumer key, not stored yet. */
function newApplication(
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
    conversionsOnly: false,
    measurementPartner: false,
    clientId: null,
    clientType: null,
    clientSecretHash: null,
    clientScopes: [],
    ...sealed,
  };
  return { consumer, fields };
}

/** The identity of an application in OAuth 2.0. */
export interface OAuth2Identity {
  clientId: string;
  /** Of a confidential client, when it is new. It is not shown again. */
  clientSecret?: string;
}

/** Begins with random letters, and ends as the client ids of X do. */
const newClientId = () => Buffer.from(`${secretText(23)}:1:ci`).toString('base64url');

/** Creates and changes applications and their consumer keys. */
@Injectable()
export class ApplicationsService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly clock: Clock,
    private readonly applications: ApplicationQueries,
  ) {}

  /** Creates an application. The secret of its consumer key is not shown again. */
  async create(
    given: NewApplication,
    db = this.db.manager,
  ): Promise<{ application: Application; consumer: KeyAndSecret }> {
    const made = await retrying(async () => {
      const { consumer, fields } = newApplication(this.vault, given, this.clock.now());
      const application = db.create(Application, fields);
      await db.insert(Application, application);
      return { application, consumer };
    });
    await this.callers.invalidate(db);
    return made;
  }

  /** Changes the settings of an application; null where there is no such application. */
  async update(id: string, { callbacks, ...changes }: ApplicationChanges): Promise<Application | null> {
    await this.change(id, { ...changes, callbacks: callbacks && checkedCallbacks(callbacks) });
    return this.applications.findById(id);
  }

  /** Replaces the consumer key and secret. Requests signed with the old ones are refused from now on. */
  async rotateKeys(id: string): Promise<KeyAndSecret | undefined> {
    const { consumer, sealed } = newConsumerKey(this.vault);
    const rotated = await this.change(id, sealed);
    return rotated ? consumer : undefined;
  }

  /**
   * Makes an application a client of OAuth 2.0, or changes its type and scopes. It keeps its client id and, as a confidential
   * client, its secret. Undefined where there is no such application.
   */
  setClient(id: string, type: ClientType, scopes: readonly Scope[]): Promise<OAuth2Identity | undefined> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const where = { id, deletedAt: IsNull() };
        const known = await tx.findOne(Application, { where, lock: { mode: 'for_no_key_update' } });
        if (!known) return undefined;
        const clientId = known.clientId ?? newClientId();
        const clientSecret =
          type === 'confidential' && known.clientSecretHash === null ? secretText(CLIENT_SECRET_LENGTH) : undefined;
        const clientSecretHash = clientSecret ? hashOfSecret(clientSecret) : known.clientSecretHash;
        await this.change(
          id,
          {
            clientId,
            clientType: type,
            clientScopes: [...scopes],
            clientSecretHash: type === 'confidential' ? clientSecretHash : null,
          },
          tx,
        );
        return { clientId, clientSecret };
      }),
    );
  }

  /** Replaces the secret of a confidential client. Undefined where there is no such client. */
  async rotateClientSecret(id: string): Promise<OAuth2Identity | undefined> {
    const clientSecret = secretText(CLIENT_SECRET_LENGTH);
    const changes = { clientSecretHash: hashOfSecret(clientSecret), updatedAt: nextUpdatedAtOf(this.clock.now()) };
    const { affected } = await this.db.manager.update(Application, { id, clientType: 'confidential' }, changes);
    const application = affected === 1 ? await this.applications.findById(id) : null;
    return application?.clientId ? { clientId: application.clientId, clientSecret } : undefined;
  }

  private async change(id: string, changes: Partial<Application>, db = this.db.manager): Promise<boolean> {
    const updatedAt = nextUpdatedAtOf(this.clock.now());
    const { affected } = await db.update(Application, { id, deletedAt: IsNull() }, { ...changes, updatedAt });
    await this.callers.invalidate(db);
    return affected === 1;
  }
}
