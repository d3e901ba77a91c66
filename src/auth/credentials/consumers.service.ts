import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Application } from './application.entity.js';
import { Vault } from './vault.js';

/** An application with its consumer secret. */
export interface Consumer extends Pick<
  Application,
  'id' | 'name' | 'ownerId' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop'
> {
  secret: string;
}

/** Finds applications that act for themselves: in the first and last step of a flow, and for bearer tokens. */
@Injectable()
export class ConsumersService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
  ) {}

  /** The application with this consumer key. */
  async find(consumerKey: string): Promise<Consumer | undefined> {
    return this.opened(await this.db.manager.findOneBy(Application, { consumerKey }));
  }

  /** The application with this id. */
  async withId(id: string): Promise<Consumer | undefined> {
    return this.opened(await this.db.manager.findOneBy(Application, { id }));
  }

  private opened(found: Application | null): Consumer | undefined {
    if (!found) return undefined;
    const { id, name, ownerId, accessLevel, callbacks, signIn, desktop } = found;
    const secret = this.vault.open(found.sealedSecret);
    return { id, name, ownerId, accessLevel, callbacks, signIn, desktop, secret };
  }
}
