import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import {
  compositionOf,
  patchOfComposition,
  problemsOfNewComposition,
  problemsOfCompositionPatch,
} from '../composition/composition.rules.js';
import { pageOfAuthor } from '../composition/page-of-author.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { DRAFT_POSTS, type DraftPost } from '../entities/draft-post.entity.js';
import type { CreateDraftPost, ListDraftPosts, UpdateDraftPost } from './draft-posts.dto.js';

/** Lists, creates, updates and deletes drafts. */
@Injectable()
export class DraftPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly composer: PostComposer,
    private readonly users: PromotableUserCache,
  ) {}

  list(account: ActingAccount, query: ListDraftPosts): Promise<Page<Row<DraftPost>>> {
    const drafts = this.resources.of(account, DRAFT_POSTS);
    return pageOfAuthor(this.users, account, query, ({ userId }) => page(drafts.where('userId', userId), query));
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<Row<DraftPost>> {
    return one(this.resources.of(account, DRAFT_POSTS), id, DRAFT_POSTS.notFoundError(account), query);
  }

  create(account: ActingAccount, request: Parsed<CreateDraftPost>): Promise<Row<DraftPost>> {
    return this.resources.change(account, DRAFT_POSTS, [request], async (unit) => {
      const context = await this.composer.context(unit, request);
      const params = request.paramsUnless(problemsOfNewComposition(request, context));
      return unit.create({ accountId: account.id, ...compositionOf(params.as_user_id, params) });
    });
  }

  update(account: ActingAccount, id: string, request: Parsed<UpdateDraftPost>): Promise<Row<DraftPost>> {
    return this.resources.changeLocked(account, DRAFT_POSTS, [request], async (unit) => {
      const draft = await unit.lockOne(id);
      const context = await this.composer.context(unit, request, draft);
      return unit.update(
        id,
        patchOfComposition(request.paramsUnless(problemsOfCompositionPatch(request, context, draft))),
      );
    });
  }

  delete(account: ActingAccount, id: string): Promise<Row<DraftPost>> {
    return this.resources.delete(account, DRAFT_POSTS, id);
  }
}
