import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { newNumber } from '../../common/entity/ids.js';
import { Clock } from '../../common/time/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { Application, type AccessLevel } from './application.entity.js';
import { ApplicationQueries } from './application.queries.js';
import { checkedCallbacks } from './callbacks.js';
import { CallersService } from './callers.service.js';
import { secretText, type KeyAndSecret } from './tokens.js';
import { Vault } from './vault.js';

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
  Pick<Application, 'name' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop' | 'adsAccess' | 'measurementPartner'>
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
    measurementPartner: false,
    ...sealed,
  };
  return { consumer, fields };
}

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

  private async change(id: string, changes: Partial<Application>): Promise<boolean> {
    const updatedAt = nextUpdatedAtOf(this.clock.now());
    const { affected } = await this.db.manager.update(
      Application,
      { id, deletedAt: IsNull() },
      { ...changes, updatedAt },
    );
    await this.callers.invalidate();
    return affected === 1;
  }
}
