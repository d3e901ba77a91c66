import type { EntityManager } from 'typeorm';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { write } from '../../common/db/query/write.js';
import { eventsWrite, type NewEvent } from '../../common/outbox/outbox.js';

/** Whose token of which application has ended. */
interface EndedToken {
  userId: string;
  applicationId: string;
}

/** An application can have tokens of very many users. */
const EVENTS_PER_STATEMENT = 1_000;

/**
 * Tells the webhooks of applications that they may not act for users any more, or not with the tokens they had. Stores the
 * events in the transaction that ends the tokens.
 */
export async function storeTokensRevoked(tx: EntityManager, tokens: readonly EndedToken[], now: Date): Promise<void> {
  const events = tokens.map((token) => eventOf(token, now));
  for (let from = 0; from < events.length; from += EVENTS_PER_STATEMENT)
    await write(tx, [eventsWrite(events.slice(from, from + EVENTS_PER_STATEMENT), now)]);
}

const eventOf = ({ userId, applicationId }: EndedToken, now: Date): NewEvent => ({
  audience: { applicationId },
  body: {
    for_user_id: userId,
    user_event: {
      revoke: {
        date_time: wireTime(now.toISOString()),
        target: { app_id: applicationId },
        source: { user_id: userId },
      },
    },
  },
});
