import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mayComposeFor, type AccountReader, type ActingAccount } from '../../accounts/access/acting-account.js';
import { recordChanges, type TimedAuthor } from '../../accounts/change-log/change-log.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { unchanged } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Write } from '../../common/db/query/write.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { definedErrors, throwErrors, type ApiError } from '../../common/errors/api-error.js';
import { Page } from '../../common/http/answers/page.js';
import { Created } from '../../common/http/answers/results.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { PromotablePosts, type Promotable } from '../../creatives/posts/promotable-posts.service.js';
import { LINE_ITEMS, LineItem } from '../entities/line-item.entity.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { countsAsShown } from '../shown-things.js';
import { incrementCreatives, placed } from '../statements/line-item.statements.js';
import { PROMOTED_POSTS, type PromotedPost } from './promoted-post.entity.js';
import { placementsWithPost, repostNotAllowed, suitabilityProblem, takesPosts } from './promoted-post.rules.js';
import type { CreatePromotedPosts } from './promoted-posts.dto.js';

/** The data that the rules of new promoted posts need. */
interface PromotionContext {
  /** The account of the line item, on whose behalf posts are promoted. */
  by: TimedAuthor;
  item?: Row<LineItem>;
  /** The promoted posts of the line item, by the ids of the requested and of the shown posts. */
  attached: ReadonlyMap<string, Row<PromotedPost>>;
  promotable: Promotable;
  /** The reposts of other users' posts: the ids of the reposts by those of the posts, and the writes of new reposts. */
  reposts: { postIds: ReadonlyMap<string, string>; writes: Write[] };
  /** The caller, who must be allowed to repost. Absent if this was validated when the posts were named. */
  composer?: ActingAccount;
}

type Unit = UnitOfWork<PromotedPost, TimedAuthor>;
type PromotedPosts = Created<Page<Row<PromotedPost>>>;

/** Promotes posts: those that a request names, and those of another resource's write. */
@Injectable()
export class PostPromotion {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly posts: PromotablePosts,
  ) {}

  /** Promotes the posts of a request. Returns existing promoted posts unchanged. */
  async create(
    unit: UnitOfWork<PromotedPost, ActingAccount>,
    request: Parsed<CreatePromotedPosts>,
  ): Promise<PromotedPosts> {
    const context = { ...(await this.contextOf(unit, request)), composer: unit.account };
    const params = request.paramsUnless(problemsOfNew(request, context));
    return this.promote(unit, params, context);
  }

  /** Promotes posts that were named before they were published. */
  async promoteNamed(unit: Unit, params: CreatePromotedPosts): Promise<Row<PromotedPost>[]> {
    const request = Parsed.complete(params);
    const context = await this.contextOf(unit, request, { entrusted: true });
    throwErrors(problemsOfNew(request, context));
    return this.promote(unit, params, context).result.items;
  }

  /** Three reads at once, one of cards, and two of reposts and what shows them, regardless of the number of posts. */
  private async contextOf(
    { account: by, now, db }: Unit,
    request: Parsed<CreatePromotedPosts>,
    { entrusted }: { entrusted?: boolean } = {},
  ): Promise<PromotionContext> {
    const lineItemId = request.value('line_item_id');
    const postIds = request.value('post_ids') ?? [];
    const [item, promoted, promotable] = await Promise.all([
      this.items.find(by, lineItemId, db),
      lineItemId === undefined ? [] : this.attached(by, lineItemId, postIds, db),
      this.posts.find(by, postIds, 'post_ids', { db, entrusted }),
    ]);
    const attached = new Map(promoted.map((each) => [each.postId, each]));
    for (const each of promoted) attached.set(each.sourcePostId, each);
    const foreign = wantedOf(postIds, attached, promotable).filter(({ byRepost }) => byRepost);
    const reposts = await this.posts.reposts(
      by,
      promotable,
      lineItemId === undefined ? [] : foreign.map(({ post }) => post),
      { madeFor: lineItemId ?? '', now, db },
    );
    // a repost that was promoted by its own id shows the post, too
    const originals = new Map([...reposts.postIds].map(([original, repost]) => [repost, original]));
    const shown = originals.size === 0 ? [] : await this.attached(by, lineItemId!, [...originals.keys()], db);
    for (const each of shown) attached.set(originals.get(each.postId)!, attached.get(each.postId) ?? each);
    return { by, item, attached, promotable, reposts };
  }

  /** Promotes posts, including their reposts, and the creatives and placements of the line item. */
  private promote(
    unit: Unit,
    { line_item_id: lineItemId, post_ids: postIds }: CreatePromotedPosts,
    { by, item, attached, promotable, reposts }: PromotionContext,
  ): PromotedPosts {
    const created = new Map<string, Row<PromotedPost>>();
    // a post and its repost are shown as one
    const shown = new Map<string, Row<PromotedPost>>();
    for (const { post } of wantedOf(postIds, attached, promotable)) {
      const postId = reposts.postIds.get(post.id) ?? post.id;
      const terms = { accountId: by.id, lineItemId, postId, sourcePostId: post.id };
      const row = shown.get(postId) ?? unit.create({ ...terms, paused: false, approvalStatus: 'ACCEPTED' });
      shown.set(postId, row);
      created.set(post.id, row);
    }
    if (shown.size > 0) {
      unit.require(lineItemIsHeld({ accountId: by.id, lineItemId }), ...this.posts.needs(promotable));
      unit.addWrite(...reposts.writes);
      if (countsAsShown('POST', item!.objective))
        unit.addWrite(...incrementCreatives(by.id, [{ lineItemId, by: shown.size }]));
      this.placeWithPost(by, item!, unit);
    }
    const rows = new Set(postIds.map((id) => attached.get(id) ?? created.get(id)!));
    return new Created(new Page([...rows], null, rows.size), shown.size > 0);
  }

  /** A line item for accounts is also shown in timelines as soon as it has a post. */
  private placeWithPost(by: TimedAuthor, item: Row<LineItem>, unit: Unit): void {
    const placements = placementsWithPost(item);
    if (!placements) return;
    const after = { ...item, placements, updatedAt: nextUpdatedAt(item.updatedAt, unit.now) };
    const [data, before] = [LINE_ITEMS.snapshot(after), LINE_ITEMS.snapshot(item)];
    unit.require(unchanged(LineItem, [item], () => undefined));
    unit.addWrite(
      placed(after),
      recordChanges([{ type: 'UPDATE', entity: LINE_ITEMS.name, id: item.id, data, before }], by, unit.now),
    );
  }

  private async attached(
    account: AccountReader,
    lineItemId: string,
    postIds: string[],
    db?: EntityManager,
  ): Promise<Row<PromotedPost>[]> {
    return this.resources
      .of(account, PROMOTED_POSTS, db)
      .where('lineItemId', lineItemId)
      .whereAny(
        (all) => all.whereIn('postId', postIds),
        (all) => all.whereIn('sourcePostId', postIds),
      )
      .getMany();
  }
}

/** The distinct posts that the line item does not promote yet. */
function wantedOf(ids: readonly string[], attached: PromotionContext['attached'], { posts }: Promotable) {
  return [...new Set(ids)].flatMap((id) => (attached.has(id) ? [] : (posts.get(id) ?? [])));
}

/** Problems of new promoted posts. Posts that are already promoted are not validated again. */
function problemsOfNew(
  request: Parsed<CreatePromotedPosts>,
  { by, item, attached, promotable, composer }: PromotionContext,
): ApiError[] {
  const lineItemId = request.value('line_item_id');
  const asked = (request.value('post_ids') ?? []).filter((id) => !attached.has(id));
  const unfit = item && takesPosts(item);
  return [
    ...unknownReference(LINE_ITEMS, by, lineItemId, item),
    ...definedErrors(unfit),
    ...[...new Set(asked)].flatMap((id) => {
      const unknown = promotable.problems.get(id);
      if (unknown) return [unknown];
      const post = promotable.posts.get(id);
      if (post?.byRepost && composer && !mayComposeFor(composer, promotable.full!.userId))
        return [repostNotAllowed('post_ids', 'Post', id, promotable.full!.userId)];
      if (!item || unfit || !post) return [];
      return suitabilityProblem(item, 'post_ids', id, post.content) ?? [];
    }),
  ];
}
