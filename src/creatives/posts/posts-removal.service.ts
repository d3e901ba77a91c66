import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rewriteChanges, rewriteTextsInChanges } from '../../accounts/change-log/rewrite-changes.js';
import { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Clock } from '../../common/time/clock.js';
import { nextAfterStored, unlessSet } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rewriteRow } from '../../common/db/query/rewrite-row.js';
import { rows } from '../../common/db/query/rows.js';
import { removedName, withoutMention, type RemovedPerson } from '../../common/entity/removed-person.js';
import { groupedBy, inBatches } from '../../common/values/grouped.js';
import { inPages } from '../../common/list/in-pages.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { withMentionsRenamed } from './post-mentions.rules.js';
import { screenNamesIn, type TextEntities } from '../composition/post-text.rules.js';
import { postTermsOf } from '../post-terms/post-terms.rules.js';
import { Post, PostName } from '../entities/post.entity.js';
import {
  emptyPosts,
  lockPosts,
  postsAbout,
  rewritePosts,
  spansOf,
  textsMentioning,
  type ComposedText,
  type MentioningPost,
} from './post.statements.js';

const BATCH = 200;

const COMPOSED = [
  { entity: DraftPost, recordedAs: 'DRAFT_POST' },
  { entity: ScheduledPost, recordedAs: 'SCHEDULED_POST' },
] as const;

/** Fields that the history keeps of a post whose author is deleted. */
const KEPT = ['id', 'user_id', 'nullcast', 'created_at', 'updated_at', 'deleted'];

/**
 * Empties and deletes the posts of a deleted user, published or not, and renames the user where other posts mention
 * them.
 */
@Injectable()
export class PostsRemoval {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Idempotent: the caller may repeat it after an early end. */
  async remove(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    await this.removeComposed(user, signal);
    await this.removePosts(user, signal);
    if (user.isInvented) return;
    await this.renameInPosts(user, signal);
    await this.renameInComposed(user, signal);
  }

  /** Empties and deletes drafts and scheduled posts on the user's behalf, so that none is published. */
  private async removeComposed({ id: userId }: RemovedPerson, signal: AbortSignal): Promise<void> {
    for (const { entity, recordedAs } of COMPOSED) {
      const composed = () => rows<DraftPost>(this.db.manager, entity).withDeleted();
      const own = inPages(this.db, () => composed().ofAllAccounts().where('userId', userId), 'id');
      for await (const batch of inBatches(own, BATCH)) {
        signal.throwIfAborted();
        const ids = batch.map(({ id }) => id);
        const time = this.clock.now().toISOString();
        await composed()
          .whereIn('accountId', [...new Set(batch.map(({ accountId }) => accountId))])
          .whereIn('id', ids)
          .update({
            ...{ text: '', name: null, cardId: null, mediaKeys: [] },
            ...{ deletedAt: unlessSet<string | null>(time), updatedAt: nextAfterStored(time) },
          });
        await this.emptyRecords(recordedAs, batch, signal);
      }
    }
  }

  private async removePosts({ id: userId }: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const promotable = () => rows(manager, PromotableUser).ofAllAccounts().withDeleted().where('userId', userId);
    const accountIds = new Set<string>();
    for await (const { accountId } of inPages(this.db, promotable, 'id')) accountIds.add(accountId);
    const live = () => rows(manager, Post).where('authorId', userId);
    const deleted = () =>
      rows(manager, Post).withDeleted().where('authorId', userId).whereDistinctFrom('deletedAt', null);
    // deleted and live posts have separate indexes
    for (const own of [deleted, live])
      for await (const batch of inBatches(inPages(this.db, own, 'id'), BATCH)) {
        signal.throwIfAborted();
        await this.empty(batch, accountIds, signal);
      }
  }

  /** Empties posts, their names in accounts and their history. */
  private async empty(
    posts: readonly Pick<MentioningPost, 'id' | 'accountId'>[],
    accountIds: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const ids = posts.map(({ id }) => id);
    await retrying(() =>
      this.db.transaction(async (tx) => {
        await lockPosts(tx, ids);
        await emptyPosts(tx, ids, this.clock.now().toISOString());
      }),
    );
    for (const accountId of new Set([...accountIds, ...posts.flatMap((post) => post.accountId ?? [])])) {
      await rows(this.db.manager, PostName).where('accountId', accountId).whereIn('postId', ids).delete();
      await this.emptyRecords(
        'POST',
        ids.map((id) => ({ id, accountId })),
        signal,
      );
    }
  }

  private async renameInPosts(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    for await (const span of spansOf(this.db.manager, Post)) {
      signal.throwIfAborted();
      const found = await postsAbout(this.db.manager, span, user.id);
      const repeating = found.filter(({ repeats }) => repeats);
      if (repeating.length > 0) await this.empty(repeating, new Set(), signal);
      const mentioning = found.filter(({ repeats }) => !repeats).map(({ id }) => id);
      for (let from = 0; from < mentioning.length; from += BATCH) {
        signal.throwIfAborted();
        await this.renameIn(mentioning.slice(from, from + BATCH), user, signal);
      }
    }
  }

  /** Renames the user in posts as they are now: others whom they mention may be removed at the same time. */
  private async renameIn(ids: readonly string[], user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const posts = await retrying(() =>
      this.db.transaction(async (tx) => {
        const found = await lockPosts(tx, ids);
        const rewritten = found.map((post) => {
          const { text, entities } = withMentionsRenamed(
            { ...post, entities: post.entities as TextEntities },
            user.id,
            removedName(user.id),
          );
          return { id: post.id, text, entities, terms: postTermsOf(text, post.createdAt) };
        });
        await rewritePosts(tx, rewritten, this.clock.now().toISOString());
        return found;
      }),
    );
    const made = posts.flatMap(({ id, accountId }) => (accountId === null ? [] : [{ id, accountId }]));
    await this.renameInRecords('POST', made, user, signal);
  }

  /** Renames the user in drafts whose text would mention them on publication. */
  private async renameInComposed(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const name = user.username.toLowerCase();
    for (const { entity, recordedAs } of COMPOSED)
      for await (const span of spansOf(manager, entity)) {
        signal.throwIfAborted();
        const found = await textsMentioning(manager, entity, span, user.username);
        const mentioning = found.filter(({ text }) => screenNamesIn(text).includes(name));
        // history first: after an early end, the texts still find the remaining posts
        await this.renameInRecords(recordedAs, mentioning, user, signal);
        for (const { id, accountId } of mentioning)
          await rewriteRow(
            manager,
            (tx) => rows<DraftPost>(tx, entity).withDeleted().where('accountId', accountId).where('id', id),
            ({ text }) => ({
              text: withoutMention(text, user),
              updatedAt: nextAfterStored(this.clock.now().toISOString()),
            }),
          );
      }
  }

  private async emptyRecords(
    entity: string,
    things: readonly Omit<ComposedText, 'text'>[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const [accountId, ids] of idsByAccount(things))
      await rewriteChanges(
        this.db.manager,
        { accountId, entity, ids },
        ({ entityData }) => ({
          changes: {},
          entityData: Object.fromEntries(Object.entries(entityData).filter(([field]) => KEPT.includes(field))),
        }),
        signal,
      );
  }

  private async renameInRecords(
    entity: string,
    things: readonly Omit<ComposedText, 'text'>[],
    user: RemovedPerson,
    signal: AbortSignal,
  ): Promise<void> {
    for (const [accountId, ids] of idsByAccount(things))
      await rewriteTextsInChanges(
        this.db.manager,
        { accountId, entity, ids },
        { fields: ['text'], change: (text) => withoutMention(text, user) },
        signal,
      );
  }
}

const idsByAccount = (things: readonly Omit<ComposedText, 'text'>[]) =>
  [...groupedBy(things, ({ accountId }) => accountId)].map(
    ([accountId, ofAccount]) => [accountId, ofAccount.map(({ id }) => id)] as const,
  );
