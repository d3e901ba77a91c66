import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { insert, write } from '../../common/db/query/write.js';
import { Clock } from '../../common/time/clock.js';
import { opaqueText } from '../credentials/tokens.js';
import { User } from '../credentials/user.entity.js';
import { Session } from './session.entity.js';
import { mayBegin, SessionRefused } from './sessions.statements.js';
import { MINUTE_MS } from '../../common/time/days.js';

/** A session ends when it is not used for this long, and after MAX_LIFETIME_MS in any case. */
const IDLE_MS = 12 * 60 * MINUTE_MS;
const MAX_LIFETIME_MS = 7 * 24 * 60 * MINUTE_MS;
/** The least time between two updates of a session's row, so that not every request writes. */
const USE_RECORDED_EVERY_MS = 5 * MINUTE_MS;

/** The user who is signed in. */
export interface SignedIn {
  userId: string;
  username: string;
  name: string;
}

/** A value for a session cookie: 256 random bits. */
export const newSessionText = () => opaqueText(32);

/** Browser sessions. They are rows, so that every replica knows them and each can be ended. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts a session and returns the value of its cookie, which is always new. Undefined where the user is suspended or
   * deleted, or does not have the password with this hash any more.
   */
  async start(userId: string, passwordHash?: string): Promise<string | undefined> {
    const text = newSessionText();
    const now = this.clock.now();
    const time = now.toISOString();
    const expiresAt = new Date(now.getTime() + IDLE_MS).toISOString();
    const session = { id: digestOf(text), userId, createdAt: time, seenAt: time, expiresAt };
    try {
      await write(this.db.manager, [insert(Session, [session])], [mayBegin(userId, passwordHash)], { lockKey: userId });
      return text;
    } catch (error) {
      if (error instanceof SessionRefused) return undefined;
      throw error;
    }
  }

  /** The user of a session that has not ended, by the value of its cookie. */
  async find(text: string): Promise<SignedIn | undefined> {
    const { manager } = this.db;
    const now = this.clock.now();
    const session = await manager.findOneBy(Session, { id: digestOf(text), expiresAt: MoreThan(now) });
    const user = session && (await manager.findOneBy(User, { id: session.userId, suspendedAt: IsNull() }));
    if (!user) return undefined;
    if (now.getTime() - session.seenAt.getTime() > USE_RECORDED_EVERY_MS) await this.recordUse(session, now);
    return { userId: user.id, username: user.username, name: user.name };
  }

  async end(text: string): Promise<void> {
    await this.db.manager.delete(Session, { id: digestOf(text) });
  }

  /** Ends all sessions of a user, as a new password does. */
  async endAll(userId: string, db = this.db.manager): Promise<void> {
    await db.delete(Session, { userId });
  }

  private async recordUse({ id, createdAt }: Session, now: Date): Promise<void> {
    const expiresAt = new Date(Math.min(now.getTime() + IDLE_MS, createdAt.getTime() + MAX_LIFETIME_MS));
    await this.db.manager.update(Session, { id }, { seenAt: now, expiresAt });
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
