import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { Clock } from '../common/time/clock.js';
import { retrying, whenUnlocked } from '../common/db/query/retry.js';
import type { RemovedPerson } from '../common/entity/removed-person.js';
import {
  audiencesWith,
  forgetChangesOf,
  forgetFollowed,
  forgetIdentifiers,
  identifiersOfUser,
  removeFromDirectory,
  removePeople,
  type PersonIdentifiers,
} from './user-removal/people-removal.statements.js';
import { IDENTIFIER_KINDS } from './entities/audience-identifier.entity.js';
import { fillSample } from './directory/directory-sample.statements.js';
import { hashOf } from './directory/identifier.rules.js';

/**
 * Removes a deleted user from the audiences and do-not-reach lists that they are known to be in, and from the
 * directory.
 */
@Injectable()
export class AudiencesRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly removal: UserRemoval,
  ) {}

  onModuleInit(): void {
    this.removal.register({
      domain: 'audiences',
      remove: (user, signal) => this.remove(user, signal),
      removeLast: (user, signal) => this.removeLast(user, signal),
    });
  }

  /** The identifiers by which advertisers may have uploaded a user. The directory forgets them with the user. */
  async identifiersOf(user: RemovedPerson): Promise<PersonIdentifiers> {
    return withOwn(await identifiersOfUser(this.db.manager, user.id), user);
  }

  private async remove(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    if (user.isInvented) return;
    const identifiers = await this.identifiersOf(user);
    await this.removeFromAudiences(identifiers, signal);
    await whenUnlocked(() => forgetChangesOf(this.db.manager, identifiers));
  }

  private async removeLast(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const identifiers = await this.identifiersOf(user);
    await whenUnlocked(() => removeFromDirectory(manager, user.id));
    while ((await whenUnlocked(() => forgetFollowed(manager, user.id))) > 0) signal.throwIfAborted();
    // Earlier uploads may have named a user whom the directory still knew.
    if (!user.isInvented) await this.removeFromAudiences(identifiers, signal);
    await whenUnlocked(() => fillSample(manager));
    await forgetIdentifiers(manager, user.id);
  }

  private async removeFromAudiences(identifiers: PersonIdentifiers, signal: AbortSignal): Promise<void> {
    for (let last: string | null = ''; last !== null;) {
      signal.throwIfAborted();
      const found: Awaited<ReturnType<typeof audiencesWith>> = await audiencesWith(this.db.manager, last, identifiers);
      for (const audienceId of found.audienceIds) {
        signal.throwIfAborted();
        const now = this.clock.now().toISOString();
        await retrying(() => whenUnlocked(() => removePeople(this.db.manager, audienceId, identifiers, now)));
      }
      last = found.last;
    }
  }
}

/** Adds the hashes of the id and the username. Advertisers use them also for users outside the directory. */
function withOwn({ kinds, hashes }: PersonIdentifiers, { id, username }: RemovedPerson): PersonIdentifiers {
  const all = { kinds: [...kinds], hashes: [...hashes] };
  for (const [kind, value] of [
    ['handle', username],
    ['platform_id', id],
  ] as const) {
    const hashed = hashOf(kind, value);
    if (!('hash' in hashed)) continue;
    all.kinds.push(IDENTIFIER_KINDS.indexOf(kind));
    all.hashes.push(hashed.hash.toString('hex'));
  }
  return all;
}
