import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Write } from '../../common/db/query/write.js';
import { eventWrite } from '../../common/outbox/outbox.js';

/** Tells the webhooks of an application that it may not act for a user any more, or not with the token it had. */
export const tokenRevoked = ({ userId, applicationId }: { userId: string; applicationId: string }, now: Date): Write =>
  eventWrite(
    { applicationId },
    {
      for_user_id: userId,
      user_event: {
        revoke: {
          date_time: wireTime(now.toISOString()),
          target: { app_id: applicationId },
          source: { user_id: userId },
        },
      },
    },
    now,
  );
