import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { allStillExist } from '../../common/db/query/preconditions.js';
import { rows } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Card } from '../entities/card.entity.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { LibraryMediaQueries } from '../media-library/library-media.queries.js';
import { mediaIdOf } from '../media-files/media-key.js';
import { Media } from '../entities/media.entity.js';
import type { CompositionFields } from './composition.dto.js';
import { patchOfComposition, type Composition, type CompositionContext } from './composition.rules.js';

/** The references of a composition; undefined if unreadable. */
type Named = Partial<Pick<Composition, 'userId' | 'mediaKeys' | 'cardId'>>;
/** The parameters that carry references. */
type Sent = Pick<CompositionFields, 'media_keys' | 'card_uri'> & { as_user_id?: string };

/** Looks up the references of a draft, scheduled or published post for the rules. */
@Injectable()
export class PostComposer {
  constructor(
    private readonly users: PromotableUserCache,
    private readonly library: LibraryMediaQueries,
  ) {}

  /**
   * Context of the rules for a write. All rows must still exist when the write is stored; otherwise the rules run
   * again. `before`: the stored composition that the write changes.
   */
  async context<T extends Resource>(
    unit: UnitOfWork<T>,
    request: Parsed<Sent>,
    before?: Composition,
  ): Promise<CompositionContext> {
    const sent = patchOfComposition({ media_keys: request.value('media_keys'), card_uri: request.value('card_uri') });
    const named = {
      userId: before?.userId ?? request.value('as_user_id'),
      mediaKeys: sent.mediaKeys ?? before?.mediaKeys,
      cardId: sent.cardId === undefined ? before?.cardId : sent.cardId,
    };
    const context = await this.look(unit.account, named, unit.db);
    unit.require(...this.needs(context));
    return context;
  }

  async look<A extends AccountReader>(
    account: A,
    { userId, mediaKeys = [], cardId = null }: Named,
    db: EntityManager,
  ): Promise<CompositionContext<A>> {
    const ids = mediaKeys.map(mediaIdOf);
    const [promotable, library, uploads, card] = await together(
      db,
      async () => (userId === undefined ? undefined : this.users.find(account, userId, db)),
      () => this.library.byKey(account, mediaKeys, db),
      async () => (ids.length === 0 ? [] : rows(db, Media).whereIn('id', ids).getMany()),
      async () =>
        cardId === null ? undefined : rows(db, Card).where('accountId', account.id).where('id', cardId).getOne(),
    );
    return { account, promotable, library, uploads: new Map(uploads.map((media) => [media.id, media])), card };
  }

  /** Preconditions that all rows still exist when a dependent write is stored; otherwise the rules run again. */
  needs({ promotable, library, card }: Omit<CompositionContext<{ id: string }>, 'uploads'>): Precondition[] {
    return [
      ...(promotable ? [this.users.exist([promotable])] : []),
      ...allStillExist(LibraryMedia, library.values()),
      ...allStillExist(Card, card ? [card] : []),
    ];
  }
}

type Reads<R extends unknown[]> = { [K in keyof R]: () => Promise<R[K]> };

/** Runs reads in parallel, or one after another in a transaction, which has a single connection. */
async function together<R extends unknown[]>(db: EntityManager, ...reads: Reads<R>): Promise<R> {
  if (!db.queryRunner) return (await Promise.all(reads.map((read) => read()))) as R;
  const results: unknown[] = [];
  for (const read of reads) results.push(await read());
  return results as R;
}
