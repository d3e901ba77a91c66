import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Webhook } from '../entities/webhook.entity.js';
import { WebhooksService } from './webhooks.service.js';

/** Maximum number of webhooks listed for an operator. */
const MAX_LISTED = 1_000;

/** Operators' work on the webhooks of all applications. */
@Injectable()
export class WebhookAdministration {
  constructor(
    private readonly db: DataSource,
    private readonly webhooks: WebhooksService,
  ) {}

  /** The webhooks of all applications in creation order; at most 1,000. */
  all(): Promise<Row<Webhook>[]> {
    return rows(this.db.manager, Webhook).orderBy('id').limit(MAX_LISTED).getMany();
  }

  /** A webhook of any application. */
  withId(id: string): Promise<Row<Webhook> | undefined> {
    return rows(this.db.manager, Webhook).where('id', id).getOne();
  }

  /** Deletes all webhooks of an application with their subscriptions; returns how many. */
  async deleteAll(applicationId: string, db = this.db.manager): Promise<number> {
    const webhooks = await this.webhooks.list(applicationId, db);
    for (const { id } of webhooks) await this.webhooks.delete(applicationId, id, db);
    return webhooks.length;
  }

  /** Moves an application's webhooks to another base URL, where this service is the receiver and has moved. */
  async follow(applicationId: string, before: string, after: string): Promise<void> {
    for (const { id, url } of await this.webhooks.list(applicationId)) {
      if (url.startsWith(`${before}/`))
        await rows(this.db.manager, Webhook)
          .where('id', id)
          .update({ url: after + url.slice(before.length) });
    }
  }
}
