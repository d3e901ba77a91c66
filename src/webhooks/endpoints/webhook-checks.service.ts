import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { replace, write } from '../../common/db/query/write.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { eventWrite } from '../../common/outbox/outbox.js';
import { Webhook, type InvalidReason } from '../entities/webhook.entity.js';
import { webhookDisabled } from '../events/event-body.js';
import { Challenges, type ChallengeResult } from './challenge.js';
import { isOverdue, nextCheckAfter } from './webhook.rules.js';

/** Keeps those webhooks about which something still holds. */
export type Narrow = (webhooks: Rows<Webhook>) => Rows<Webhook>;

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
   * for 28 hours. A challenge takes up to ten seconds: a failure counts only if no other challenge was passed meanwhile.
   * A webhook that was disabled meanwhile stays invalid if the challenge is a scheduled one.
   */
  async check(webhook: Row<Webhook>, { isScheduled = false } = {}): Promise<ChallengeResult & { isDisabled: boolean }> {
    const outcome = await this.challenges.ask(webhook);
    const now = this.clock.now();
    if (outcome.passed) {
      await this.pass(webhook.id, now, isScheduled);
      return { ...outcome, isDisabled: false };
    }
    const isUnchanged: Narrow = (all) => all.where('validatedAt', webhook.validatedAt);
    const validatedAt = new Date(webhook.validatedAt);
    const isDisabled = outcome.isFinal || isOverdue(validatedAt, now);
    if (isDisabled) await this.disable(webhook.id, 'CRC_FAILED', isUnchanged);
    else await isUnchanged(this.withId(webhook.id)).update({ nextCheckAt: nextCheckAfter(validatedAt, now) });
    return { ...outcome, isDisabled };
  }

  /**
   * Stops deliveries to the webhook until it is validated again, and notifies the application's other webhooks. Does
   * nothing if the webhook is already invalid or deleted, or if `narrow` leaves it out: something has changed since the
   * reason was found.
   */
  async disable(id: string, reason: InvalidReason, narrow: Narrow): Promise<void> {
    await retrying(() =>
      this.db.transaction(async (tx) => {
        const webhook = await narrow(this.withId(id, tx)).whereTrue('valid').setLock('for_no_key_update').getOne();
        if (!webhook) return;
        const now = this.clock.now();
        const updatedAt = nextUpdatedAt(webhook.updatedAt, now);
        const disabled = { ...webhook, valid: false, invalidReason: reason, updatedAt };
        const { applicationId } = webhook;
        await write(tx, [replace(Webhook, [disabled]), eventWrite({ applicationId }, webhookDisabled(disabled), now)]);
      }),
    );
  }

  /** Records a passed challenge. Failures of deliveries count anew once an invalid webhook is valid again. */
  private async pass(id: string, now: Date, isScheduled: boolean): Promise<void> {
    const passed = { validatedAt: now.toISOString(), nextCheckAt: nextCheckAfter(now, now) };
    const [valid] = await this.withId(id).whereTrue('valid').update(passed);
    if (valid || isScheduled) return;
    const updatedAt = nextAfterStored(now.toISOString());
    await this.withId(id)
      .whereTrue('valid', false)
      .update({ ...passed, valid: true, invalidReason: null, failingSince: null, updatedAt });
  }

  private withId(id: string, db = this.db.manager): Rows<Webhook> {
    return rows(db, Webhook).where('id', id);
  }
}
