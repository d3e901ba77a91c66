import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Application } from './application.entity.js';
import { Vault } from './vault.js';

/** An application with the secret it signs with. */
export interface Consumer extends Pick<
  Row<Application>,
  'id' | 'name' | 'ownerId' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop'
> {
  secret: string;
}

/** Applications as those who act for themselves: at the ends of a flow, and where bearers are made. */
@Injectable()
export class ConsumersService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
  ) {}

  /** The application with this consumer key. */
  async find(consumerKey: string): Promise<Consumer | undefined> {
    return this.opened(await rows(this.db.manager, Application).where('consumerKey', consumerKey).getOne());
  }

  /** The application with this id. */
  async withId(id: string): Promise<Consumer | undefined> {
    return this.opened(await rows(this.db.manager, Application).where('id', id).getOne());
  }

  private opened(found: Row<Application> | undefined): Consumer | undefined {
    if (!found) return undefined;
    const { id, name, ownerId, accessLevel, callbacks, signIn, desktop } = found;
    const secret = this.vault.open(found.sealedSecret);
    return { id, name, ownerId, accessLevel, callbacks, signIn, desktop, secret };
  }
}
