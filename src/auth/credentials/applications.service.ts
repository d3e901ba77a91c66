import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { newNumber } from '../../common/entity/ids.js';
import { Application, type AccessLevel } from './application.entity.js';
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
export type ApplicationChanges = Partial<
  Pick<Application, 'name' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop' | 'adsAccess'>
>;

/** Creates, finds and changes applications and their consumer keys. */
@Injectable()
export class ApplicationsService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly clock: Clock,
  ) {}

  /** Creates an application. The secret of its consumer key is not shown again. */
  async create({
    name,
    ownerId,
    accessLevel = 'write',
    callbacks = [],
    signIn = false,
    desktop = false,
  }: NewApplication): Promise<{ application: Application; consumer: KeyAndSecret }> {
    const consumer = newConsumerKey();
    const fields = {
      name,
      ownerId,
      consumerKey: consumer.key,
      sealedSecret: this.vault.seal(consumer.secret),
      accessLevel,
      callbacks: checkedCallbacks(callbacks),
      signIn,
      desktop,
      adsAccess: true,
    };
    const application = await retrying(async () => {
      const now = this.clock.now();
      const own = { id: newNumber(now), createdAt: now, updatedAt: now };
      const made = this.db.manager.create(Application, { ...own, ...fields });
      await this.db.manager.insert(Application, made);
      return made;
    });
    await this.callers.invalidate();
    return { application, consumer };
  }

  /** All applications in the order of their creation, at most 1,000. */
  list(): Promise<Application[]> {
    return this.db.manager.find(Application, { order: { id: 'ASC' }, take: 1000 });
  }

  /** The applications with these ids that exist. */
  findByIds(ids: string[]): Promise<Application[]> {
    return this.db.manager.findBy(Application, { id: In(ids) });
  }

  /** The applications of a user in the order of their creation, at most 1,000. */
  listOwnedBy(ownerId: string): Promise<Application[]> {
    return this.db.manager.find(Application, { where: { ownerId }, order: { id: 'ASC' }, take: 1000 });
  }

  /** The application with this id; null where there is none. */
  findById(id: string): Promise<Application | null> {
    return this.db.manager.findOneBy(Application, { id });
  }

  /** Changes the settings of an application; null where there is no such application. */
  async update(id: string, { callbacks, ...changes }: ApplicationChanges): Promise<Application | null> {
    await this.change(id, { ...changes, callbacks: callbacks && checkedCallbacks(callbacks) });
    return this.findById(id);
  }

  /** At most two applications: the one with this id or consumer key, or those with this name. */
  find(text: string): Promise<Application[]> {
    const where = [{ id: text }, { consumerKey: text }, { name: text }];
    return this.db.manager.find(Application, { where, order: { id: 'ASC' }, take: 2 });
  }

  /** Replaces the consumer key and secret. Requests signed with the old ones are refused from now on. */
  async rotateKeys(id: string): Promise<KeyAndSecret | undefined> {
    const consumer = newConsumerKey();
    const sealedSecret = this.vault.seal(consumer.secret);
    const rotated = await this.change(id, { consumerKey: consumer.key, sealedSecret });
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

const newConsumerKey = (): KeyAndSecret => ({ key: secretText(25), secret: secretText(50) });
