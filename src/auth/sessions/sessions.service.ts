import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { rows } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { opaqueText } from '../credentials/tokens.js';
import { User } from '../credentials/user.entity.js';
import { Session } from './session.entity.js';

const MINUTE_MS = 60_000;
/** A session ends when it was not used for so long, and after LONGEST_LIFETIME_MS in any case. */
const IDLE_MS = 12 * 60 * MINUTE_MS;
const MAX_LIFETIME_MS = 7 * 24 * 60 * MINUTE_MS;
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
    const valid = rows(this.db.manager, Session)
      .where('id', digestOf(text))
      .whereMoreThan('expiresAt', new Date(now).toISOString());
    const users = rows(this.db.manager, User).whereInSubquery('id', valid, 'userId').where('suspendedAt', null);
    const [session, user] = await Promise.all([valid.getOne(), users.getOne()]);
    if (!session || !user) return undefined;
    if (now - new Date(session.seenAt).getTime() > USE_RECORDED_EVERY_MS)
      await this.recordUse(text, now, session.createdAt);
    return { userId: user.id, username: user.username, name: user.name };
  }

  async end(text: string): Promise<void> {
    await rows(this.db.manager, Session).where('id', digestOf(text)).delete();
  }

  /** Ends all sessions of a user, as a new password does. */
  async endAll(userId: string, db = this.db.manager): Promise<void> {
    await rows(db, Session).where('userId', userId).delete();
  }

  private async recordUse(text: string, now: number, createdAt: string): Promise<void> {
    const expiresAt = Math.min(now + IDLE_MS, new Date(createdAt).getTime() + MAX_LIFETIME_MS);
    await rows(this.db.manager, Session)
      .where('id', digestOf(text))
      .update({ seenAt: new Date(now).toISOString(), expiresAt: new Date(expiresAt).toISOString() });
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
