import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { Application } from './application.entity.js';
import { ApplicationQueries } from './application.queries.js';
import { newApplication, newConsumerKey, type ApplicationChanges, type NewApplication } from './new-application.js';
import { checkedCallbacks } from './callbacks.js';
import { CallersService } from './callers.service.js';
import type { KeyAndSecret } from './tokens.js';
import { Vault } from './vault.js';

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
