import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { Page } from '../../common/http/answers/page.js';
import { eventTextsOf } from '../deliveries/event-texts.js';
import { eventIn, renderEvent } from '../events/event-body.js';
import { Config } from '../../config/config.js';
import { eventIdsFor } from '../subscriptions/subscriptions.statements.js';
import type { FollowEvents } from './following.dto.js';

/** An event gets its id before it is stored, so other processes may not have stored younger events yet. */
const SETTLED_MS = 1_000;
/** The time that a token reaches back. */
const MAX_DURATION_MS = 5 * 60_000;
const MAX_FOLLOWED = 100;
const PAUSE_MS = 1_000;
/** Maximum number of waiting requests in a process. Further requests return immediately. */
const MAX_QUEUED = 50;

/** An event as webhooks receive it. */
interface FollowedEvent {
  id: string;
  text: string;
}

/**
 * Lets developers whose machine webhooks cannot reach follow events: `marquee webhook listen`. It keeps no state per
 * client, so events missed for five minutes are lost. Webhooks provide reliable delivery.
 */
@Injectable()
export class FollowingService {
  private readonly stopping = new AbortController();
  private waiting = 0;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** The events since a token, oldest first. It may wait until there are some or the client is `gone`. */
  async follow(
    applicationId: string,
    { pagination_token: token, wait_seconds }: FollowEvents,
    closed: AbortSignal,
  ): Promise<Page<FollowedEvent>> {
    const settled = () => firstIdOf(new Date(this.clock.ms() - SETTLED_MS));
    if (token === undefined) return new Page([], settled());
    const oldest = firstIdOf(new Date(this.clock.ms() - MAX_DURATION_MS));
    const from = token < oldest ? oldest : token;
    const signal = AbortSignal.any([closed, this.stopping.signal]);
    const end = performance.now() + wait_seconds * 1_000;
    for (;;) {
      const to = settled();
      const ids = await eventIdsFor(this.db.manager, applicationId, from, to, {
        limit: MAX_FOLLOWED,
        now: this.clock.now().toISOString(),
      });
      const left = Math.min(PAUSE_MS, end - performance.now());
      if (ids.length > 0 || left <= 0 || signal.aborted || this.waiting >= MAX_QUEUED)
        // The smallest id after the last one, if there may be more before the end.
        return new Page(await this.texts(ids), ids.length === MAX_FOLLOWED ? `${ids.at(-1)}0` : to > from ? to : from);
      this.waiting++;
      await pause(left, undefined, { signal }).catch(() => undefined);
      this.waiting--;
    }
  }

  /** Answers what waits, because the process stops. */
  stop(): void {
    this.stopping.abort();
  }

  private async texts(ids: string[]): Promise<FollowedEvent[]> {
    const events = await eventTextsOf(this.db.manager, ids);
    const texts = new Map(events.map((each) => [each.event.id, eventIn(this.config.names, renderEvent(each))]));
    return ids.flatMap((id) => (texts.has(id) ? [{ id, text: texts.get(id)! }] : []));
  }
}
