import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UserRemoval } from '../../auth/user-removal/user-removal.service.js';
import { forgetExchanges } from './delivery.statements.js';

/** Number of attempts that one statement looks at. */
const BATCH = 2_000;

/** Removes the responses of webhooks that tell of a deleted user: a receiver may repeat what it was sent. */
@Injectable()
export class WebhooksRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly removal: UserRemoval,
  ) {}

  onModuleInit(): void {
    this.removal.register({
      domain: 'webhooks',
      remove: async ({ id, username, name, isInvented }, signal) => {
        if (isInvented) return;
        const words = [id, username, name].filter((word) => word !== '').map((word) => word.toLowerCase());
        let after: string | undefined = '';
        while (after !== undefined) {
          signal.throwIfAborted();
          after = await forgetExchanges(this.db.manager, { after, words, limit: BATCH });
        }
      },
    });
  }
}
