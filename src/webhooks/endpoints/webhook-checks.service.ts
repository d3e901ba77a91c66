import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { replace, write } from '../../common/db/query/write.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { eventWrite } from '../../common/outbox/outbox.js';
import { Webhook, type InvalidReason } from '../entities/webhook.entity.js';
import { webhookDisabled } from '../events/event-body.js';
import { Challenges, type ChallengeResult } from './challenge.js';
import { isOverdue, nextCheckAfter } from './webhook.rules.js';

/** Challenges registered webhooks, and records whether they are valid. */
@Injectable()
export class WebhookChecksService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly challenges: Challenges,
  ) {}

  /**
   * Challenges a webhook and records the result. After temporary failures a webhook stays valid until it has not passed
   * for 28 hours.
   */
  async check(webhook: Row<Webhook>): Promise<ChallengeResult & { isDisabled: boolean }> {
    const outcome = await this.challenges.ask(webhook);
    const now = this.clock.now();
    const updatedAt = nextAfterStored(now.toISOString());
    const own = rows(this.db.manager, Webhook).where('id', webhook.id);
    if (outcome.passed) {
      await own.update({
        valid: true,
        invalidReason: null,
        validatedAt: now.toISOString(),
        nextCheckAt: nextCheckAfter(now, now),
        ...(!webhook.valid && { failingSince: null, updatedAt }),
      });
      return { ...outcome, isDisabled: false };
    }
    const validatedAt = new Date(webhook.validatedAt);
    const isDisabled = outcome.isFinal || isOverdue(validatedAt, now);
    if (isDisabled) await this.disable(webhook.id, 'CRC_FAILED');
    else await own.update({ nextCheckAt: nextCheckAfter(validatedAt, now) });
    return { ...outcome, isDisabled };
  }

  /**
   * Stops deliveries to the webhook until it is validated again, and notifies the application's other webhooks. Does
   * nothing if the webhook is already invalid or deleted.
   */
  async disable(id: string, reason: InvalidReason): Promise<void> {
    await retrying(() =>
      this.db.transaction(async (tx) => {
        const webhook = await rows(tx, Webhook)
          .where('id', id)
          .whereTrue('valid')
          .setLock('for_no_key_update')
          .getOne();
        if (!webhook) return;
        const now = this.clock.now();
        const updatedAt = nextUpdatedAt(webhook.updatedAt, now);
        const disabled = { ...webhook, valid: false, invalidReason: reason, updatedAt };
        const { applicationId } = webhook;
        await write(tx, [replace(Webhook, [disabled]), eventWrite({ applicationId }, webhookDisabled(disabled), now)]);
      }),
    );
  }
}
