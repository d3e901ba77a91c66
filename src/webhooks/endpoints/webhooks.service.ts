import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Config } from '../../config/config.js';
import { Webhook } from '../entities/webhook.entity.js';
import { crcValidationFailed, webhookNotFound } from '../webhooks.errors.js';
import { Challenges, type GetClient } from './challenge.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import { problemOfNewUrl, problemOfUrl } from './webhook.rules.js';
import { WebhookWrites } from './webhook.writes.js';

/** Lists, registers, validates and deletes the webhooks of applications. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly db: DataSource,
    private readonly config: Config,
    private readonly challenges: Challenges,
    private readonly checks: WebhookChecksService,
    private readonly writes: WebhookWrites,
  ) {}

  /** The webhooks of an application; they are few. */
  list(applicationId: string): Promise<Row<Webhook>[]> {
    return rows(this.db.manager, Webhook).where('applicationId', applicationId).orderBy('id').getMany();
  }

  /** A webhook of this application; 404 for any other. */
  async own(applicationId: string, id: string): Promise<Row<Webhook>> {
    const webhook = await rows(this.db.manager, Webhook).where('id', id).where('applicationId', applicationId).getOne();
    if (!webhook) throw webhookNotFound(id);
    return webhook;
  }

  /** Registers a URL that passes a challenge. The challenge precedes all writes. */
  async create(applicationId: string, { url }: { url: string }, by?: GetClient): Promise<Row<Webhook>> {
    const invalid = problemOfUrl(url, this.config.production);
    if (invalid) throw invalid;
    const refused = problemOfNewUrl(url, await this.list(applicationId));
    if (refused) throw refused;

    const { passed, why } = await this.challenges.ask({ applicationId, url }, by);
    if (!passed) throw crcValidationFailed(url, why);
    return this.writes.create(applicationId, url);
  }

  /** Challenges a webhook of this application again. If it passes, it is valid; otherwise this throws. */
  async validate(applicationId: string, id: string): Promise<Row<Webhook>> {
    const webhook = await this.own(applicationId, id);
    const { passed, why } = await this.checks.check(webhook);
    if (!passed) throw crcValidationFailed(webhook.url, why);
    return this.own(applicationId, id);
  }

  /** Deletes a webhook of this application with its subscriptions. Pending deliveries are not sent. */
  delete(applicationId: string, id: string): Promise<Row<Webhook>> {
    return this.writes.delete(applicationId, id);
  }
}
