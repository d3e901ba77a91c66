import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AudiencesRemoval } from '../audiences/audiences-removal.service.js';
import { IDENTIFIER_KINDS } from '../audiences/entities/audience-identifier.entity.js';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { whenUnlocked } from '../common/db/query/retry.js';
import type { RemovedPerson } from '../common/entity/removed-person.js';
import { DIRECTORY_IDENTIFIERS } from './conversions/conversion.entity.js';
import { conversionKeyOf } from './conversions/conversion.rules.js';
import { forgetPerson } from './conversions/conversions.statements.js';

/** Removes what identifies a deleted user from conversions. Event, time and value stay: they are the account's. */
@Injectable()
export class MeasurementRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly removal: UserRemoval,
    private readonly audiences: AudiencesRemoval,
  ) {}

  onModuleInit(): void {
    this.removal.register({ domain: 'measurement', remove: (user, signal) => this.remove(user, signal) });
  }

  private async remove(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    if (user.isInvented) return;
    const { kinds, hashes } = await this.audiences.identifiersOf(user);
    const identifiers = kinds.flatMap((index, i) =>
      DIRECTORY_IDENTIFIERS.filter(({ kind }) => IDENTIFIER_KINDS[index] === kind).map(({ identifier }) =>
        conversionKeyOf(identifier, hashes[i]),
      ),
    );
    const person = { userId: user.id, identifiers };
    for (let last: string | null = ''; last !== null;) {
      signal.throwIfAborted();
      const after: string = last;
      last = await whenUnlocked(() => forgetPerson(this.db.manager, after, person));
    }
  }
}
