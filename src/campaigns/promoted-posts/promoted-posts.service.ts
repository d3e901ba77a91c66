import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mayComposeFor, type ActingAccount } from '../../accounts/access/acting-account.js';
import { recordOf, type ChangedBy } from '../../accounts/change-log/change-log.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { unchanged } from '../../common/db/query/preconditions.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { Made } from '../../common/http/made.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { Page, page } from '../../common/list/page.js';
import { PromotablePosts, type Promotable } from '../../creatives/posts/promotable-posts.service.js';
import { LineItem } from '../line-items/line-item.entity.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { incrementCreatives } from '../line-items/line-item.statements.js';
import { LineItemsService } from '../line-items/line-items.service.js';
import { countsAsShown } from '../shown-things.js';
import type { PromotedPost } from './promoted-post.entity.js';
import { PROMOTED_POSTS } from './promoted-post.resource.js';
import { placementsWithPost, repostNotAllowed, suitabilityProblem, takesPosts } from './promoted-post.rules.js';
import { placed } from './promoted-post.statements.js';
import type { CreatePromotedPosts, ListPromotedPosts } from './promoted-posts.dto.js';

type PromotedRow = Row<PromotedPost>;

/** What is judged where posts are to be promoted. */
interface Judged {
  item?: Row<LineItem>;
  /** What the line item promotes already, by the posts that it was asked for and by those that are shown. */
  attached: ReadonlyMap<string, PromotedRow>;
  promotable: Promotable;
}

/** How posts come to be promoted. */
interface Promoting {
  db?: EntityManager;
  /** They were named before they were published: see PromotablePosts.find. */
  entrusted?: boolean;
  /** Who asks for it, and has to be allowed to repost; left out where that was judged when they were named. */
  composer?: ActingAccount;
}

@Injectable()
export class PromotedPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: LineItemsService,
    private readonly posts: PromotablePosts,
  ) {}

  list(account: ActingAccount, query: ListPromotedPosts): Promise<Page<PromotedRow>> {
    const promoted = this.of(account).whereIn('id', query.promoted_post_ids).whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, promoted, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<PromotedRow> {
    const promoted = this.items.ofShown(account, this.of(account), query);
    return one(promoted, id, PROMOTED_POSTS.notFoundError(account), query);
  }

  /** All or none; a post that is promoted there already is found again. */
  async create(account: ActingAccount, params: CreatePromotedPosts): Promise<Made<Page<PromotedRow>>> {
    const { promoted, isNew } = await this.resources.edit(account, PROMOTED_POSTS, [], (unitOfWork, db) =>
      this.promote(account, params, unitOfWork, { db, composer: account }),
    );
    return new Made(new Page(promoted, null, promoted.length), isNew);
  }

  /** What is wrong with those parameters that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreatePromotedPosts>): Promise<ApiError[]> {
    const named = { ...parsed.known('line_item_id'), ...parsed.known('post_ids') };
    return problemsOf(account, parsed, await this.judged(account, named), account);
  }

  /** It is shown no more; the post stays as it is, and can be promoted again. */
  delete(account: ActingAccount, id: string): Promise<PromotedRow> {
    return this.items.deleteBelonging(account, PROMOTED_POSTS, id, 'POST');
  }

  /** Plans the promotion of posts, with all that goes with it: reposts, what the line item shows and where. */
  async promote(
    by: ChangedBy,
    { line_item_id, post_ids }: CreatePromotedPosts,
    unitOfWork: UnitOfWork<PromotedPost>,
    how: Promoting & { db: EntityManager },
  ): Promise<{ promoted: PromotedRow[]; isNew: boolean }> {
    const params = { line_item_id, post_ids };
    const judged = await this.judged(by, params, how);
    refuseAny(problemsOf(by, Parsed.whole(params), judged, how.composer));
    const { item, attached, promotable } = judged;
    const asked = [...new Set(post_ids)];
    const wanted = asked.filter((id) => !attached.has(id)).map((id) => promotable.posts.get(id)!);
    const originals = wanted.filter(({ byRepost }) => byRepost).map(({ post }) => post);
    const { postIds, writes } = await this.posts.reposts(by, promotable, originals, {
      madeFor: line_item_id,
      now: unitOfWork.now,
      db: how.db,
    });
    const made = new Map(
      wanted.map(({ post: { id } }) => [
        id,
        unitOfWork.create({
          accountId: by.id,
          lineItemId: line_item_id,
          postId: postIds.get(id) ?? id,
          sourcePostId: id,
          paused: false,
          approvalStatus: 'ACCEPTED',
        }),
      ]),
    );
    if (made.size > 0) {
      unitOfWork.require(
        lineItemIsHeld({ accountId: by.id, lineItemId: line_item_id }),
        ...this.posts.needs(promotable),
      );
      unitOfWork.addWrite(...writes);
      if (countsAsShown('POST', item!.objective))
        unitOfWork.addWrite(...incrementCreatives([{ lineItemId: line_item_id, by: made.size }]));
      this.placeWithPost(by, item!, unitOfWork);
    }
    const promoted = new Map(asked.map((id) => [id, attached.get(id) ?? made.get(id)!]));
    return { promoted: [...new Set(promoted.values())], isNew: made.size > 0 };
  }

  /** A line item for accounts is shown in timelines, too, once it has a post. */
  private placeWithPost(by: ChangedBy, item: Row<LineItem>, unitOfWork: UnitOfWork<PromotedPost>): void {
    const placements = placementsWithPost(item);
    if (!placements) return;
    const after = { ...item, placements, updatedAt: nextUpdatedAt(item.updatedAt, unitOfWork.now) };
    const [data, before] = [LINE_ITEMS.snapshot(after), LINE_ITEMS.snapshot(item)];
    unitOfWork.require(unchanged(LineItem, [item], () => undefined));
    unitOfWork.addWrite(
      placed(after),
      ...recordOf([{ type: 'UPDATE', entity: LINE_ITEMS.name, id: item.id, data, before }], by, unitOfWork.now),
    );
  }

  /** Three reads at once, and one of cards, however many posts there are. */
  private async judged(
    account: { id: string },
    { line_item_id, post_ids = [] }: Partial<CreatePromotedPosts>,
    { db, entrusted }: Promoting = {},
  ): Promise<Judged> {
    const [found, promoted, promotable] = await Promise.all([
      line_item_id === undefined ? undefined : this.items.byId(account, [line_item_id], db),
      line_item_id === undefined ? [] : this.attached(account, line_item_id, post_ids, db),
      this.posts.find(account, post_ids, 'post_ids', { db, entrusted }),
    ]);
    const attached = new Map(promoted.map((each) => [each.postId, each]));
    for (const each of promoted) attached.set(each.sourcePostId, each);
    return { item: found?.get(line_item_id!), attached, promotable };
  }

  private async attached(
    account: { id: string },
    lineItemId: string,
    postIds: string[],
    db?: EntityManager,
  ): Promise<PromotedRow[]> {
    return this.of(account, db)
      .where('lineItemId', lineItemId)
      .whereAny(
        (all) => all.whereIn('postId', postIds),
        (all) => all.whereIn('sourcePostId', postIds),
      )
      .getMany();
  }

  private of(account: { id: string }, db?: EntityManager): Rows<PromotedPost> {
    return this.resources.of(account, PROMOTED_POSTS, db);
  }
}

/** What is wrong with new promoted posts, as far as their parameters could be read; what is promoted already is not judged again. */
function problemsOf(
  account: { id: string },
  parsed: Parsed<CreatePromotedPosts>,
  { item, attached, promotable }: Judged,
  composer?: ActingAccount,
): ApiError[] {
  const named = parsed.known('line_item_id');
  const asked = (parsed.known('post_ids')?.post_ids ?? []).filter((id) => !attached.has(id));
  const unfit = item && takesPosts(item);
  return [
    ...(named && !item ? [LINE_ITEMS.notFoundError(account)(named.line_item_id)] : []),
    ...(unfit ? [unfit] : []),
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
