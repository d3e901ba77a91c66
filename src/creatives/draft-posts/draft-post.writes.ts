import { Injectable } from '@nestjs/common';
import { defineDelete, defineWrite } from '../../accounts/resources/define-write.js';
import {
  compositionOf,
  patchOf,
  problemsOfNew,
  problemsOfPatch,
  type CompositionContext,
} from '../composition/composition.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import type { DraftPost } from '../entities/draft-post.entity.js';
import { DRAFT_POSTS } from './draft-post.resource.js';
import type { CreateDraftPost, UpdateDraftPost } from './draft-posts.dto.js';

/** Creates, updates and deletes drafts. */
@Injectable()
export class DraftPostWrites {
  constructor(private readonly composer: PostComposer) {}

  readonly create = defineWrite<DraftPost, CreateDraftPost, CompositionContext>(DRAFT_POSTS, {
    context: (scope, [request]) => this.composer.context(scope, request),
    problems: problemsOfNew,
    apply: (unitOfWork, params, { account }) =>
      unitOfWork.create({ accountId: account.id, ...compositionOf(params.as_user_id, params) }),
  });

  readonly update = defineWrite<DraftPost, UpdateDraftPost & { draft_post_id: string }, CompositionContext>(
    DRAFT_POSTS,
    {
      target: 'draft_post_id',
      context: (scope, [request]) =>
        this.composer.context(scope, request, scope.unitOfWork.find(request.value('draft_post_id')!)),
      problems: problemsOfPatch,
      apply: (unitOfWork, params, _, { id }) => unitOfWork.update(id, patchOf(params)),
    },
  );

  readonly delete = defineDelete(DRAFT_POSTS, 'draft_post_id');
}
