import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { run } from '../../common/db/query/statement.js';
import { insert, write } from '../../common/db/query/write.js';
import { opaqueText } from '../credentials/tokens.js';
import { Session } from './session.entity.js';

const MINUTE_MS = 60_000;
/** A session ends when it was not used for so long, and after LONGEST_LIFETIME_MS in any case. */
const IDLE_MS = 12 * 60 * MINUTE_MS;
const LONGEST_LIFETIME_MS = 7 * 24 * 60 * MINUTE_MS;
/** Its row is not written with every request. */
const USE_RECORDED_EVERY_MS = 5 * MINUTE_MS;

/** Who is signed in. */
export interface SignedIn {
  userId: string;
  username: string;
  name: string;
}

/** What a session cookie holds: 256 random bits. */
export const newSessionText = () => opaqueText(32);

/** Sessions of browsers. They are rows, so that every replica knows them and each can be ended. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Begins a session and returns the value of its cookie, which was never used before. */
  async start(userId: string): Promise<string> {
    const text = newSessionText();
    const now = this.clock.ms();
    const time = new Date(now).toISOString();
    const expiresAt = new Date(now + IDLE_MS).toISOString();
    await write(this.db.manager, [
      insert(Session, [{ id: digestOf(text), userId, createdAt: time, seenAt: time, expiresAt }]),
    ]);
    return text;
  }

  /** The user of a session that has not ended, from the value of its cookie. */
  async find(text: string): Promise<SignedIn | undefined> {
    const now = this.clock.ms();
    const [found] = await run<SignedIn & { createdAt: string; seenAt: string }>(this.db.manager, {
      text: `SELECT s."createdAt", s."seenAt", u.id AS "userId", u.username, u.name FROM sessions s JOIN users u ON u.id = s."userId"
        WHERE s.id = $1 AND s."expiresAt" > $2 AND u."suspendedAt" IS NULL AND u."deletedAt" IS NULL`,
      values: [digestOf(text), new Date(now).toISOString()],
    });
    if (!found) return undefined;
    if (now - new Date(found.seenAt).getTime() > USE_RECORDED_EVERY_MS)
      await this.recordUse(text, now, found.createdAt);
    return { userId: found.userId, username: found.username, name: found.name };
  }

  async end(text: string): Promise<void> {
    await run(this.db.manager, { text: 'DELETE FROM sessions WHERE id = $1', values: [digestOf(text)] });
  }

  /** Ends all sessions of a user, as a new password does. */
  async endAll(userId: string, db = this.db.manager): Promise<void> {
    await run(db, { text: 'DELETE FROM sessions WHERE "userId" = $1', values: [userId] });
  }

  private async recordUse(text: string, now: number, createdAt: string): Promise<void> {
    const expiresAt = Math.min(now + IDLE_MS, new Date(createdAt).getTime() + LONGEST_LIFETIME_MS);
    await run(this.db.manager, {
      text: 'UPDATE sessions SET "seenAt" = $2, "expiresAt" = $3 WHERE id = $1',
      values: [digestOf(text), new Date(now).toISOString(), new Date(expiresAt).toISOString()],
    });
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
