import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { Passwords, TooBusy } from '../credentials/passwords.js';
import { UsersService } from '../credentials/users.service.js';
import { User } from '../credentials/user.entity.js';
import { SessionsService } from './sessions.service.js';
import { SignInAttempts } from './sign-in-attempts.js';

/** The result of a sign-in: the cookie value of a new session, or the reason why there is none. */
export type SignInOutcome = { session: string } | { waitSeconds: number } | 'wrong' | 'busy';

const MAX_USERNAME_LENGTH = 200;

/** Checks passwords. Neither its answers nor its timing reveal whether a username exists. */
@Injectable()
export class SignInService {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: Passwords,
    private readonly attempts: SignInAttempts,
    private readonly sessions: SessionsService,
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  async signIn(given: string, password: string, address: string): Promise<SignInOutcome> {
    const username = given.trim().replace(/^@/, '').slice(0, MAX_USERNAME_LENGTH);
    if (!this.passwords.hasRoom) return 'busy';
    const waitSeconds = await this.attempts.begin(username, address);
    if (waitSeconds !== undefined) return { waitSeconds };
    const found = await this.users.findByUsername(username);
    // PostgreSQL may find i for a capital I with a dot, which the limit counts apart
    const user = found?.username.toLowerCase() === username.toLowerCase() ? found : undefined;
    const usable = user && user.suspendedAt === null ? user.passwordHash : null;
    let right: boolean;
    try {
      right = await this.passwords.matches(usable, password);
    } catch (error) {
      if (!(error instanceof TooBusy)) throw error;
      await this.attempts.withdraw(username, address);
      return 'busy';
    }
    if (!right || !user || usable === null) return 'wrong';
    // the check takes a while, in which the password may change or the user be suspended
    const session = await this.sessions.start(user.id, usable);
    if (session === undefined) return 'wrong';
    await this.attempts.succeeded(username, address);
    return { session };
  }

  /** Sets a password and ends all sessions of the user. */
  async changePassword(userId: string, password: string): Promise<void> {
    const passwordHash = await this.passwords.hash(password);
    const updatedAt = nextUpdatedAtOf(this.clock.now());
    await this.db.transaction(async (tx) => {
      await tx.update(User, { id: userId, deletedAt: IsNull() }, { passwordHash, updatedAt });
      await this.sessions.endAll(userId, tx);
    });
  }
}
