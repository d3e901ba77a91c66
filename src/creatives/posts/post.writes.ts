import { Injectable } from '@nestjs/common';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { recordOf } from '../../accounts/change-log/change-log.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows } from '../../common/db/query/rows.js';
import { erase, insertOrUpdate } from '../../common/db/query/write.js';
import { compositionOf, problemsOfNew, type CompositionContext } from '../composition/composition.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { PostName } from './post-name.entity.js';
import { PostPublication, type PublicationContext } from './post-publication.service.js';
import { Post } from '../entities/post.entity.js';
import { POSTS } from './post.resource.js';
import { newPost, videoProblems } from './post.rules.js';
import type { CreatePost } from './posts.dto.js';

type Context = CompositionContext & PublicationContext;

/** An account's new name for a post; null removes it. */
interface NamePost {
  post_id: string;
  name: string | null;
}

/** Publishes and names posts. */
@Injectable()
export class PostWrites {
  constructor(
    private readonly composer: PostComposer,
    private readonly publication: PostPublication,
  ) {}

  readonly create = defineWrite<Post, CreatePost, Context>(POSTS, {
    context: async (scope, [request]) => {
      const authorIds = [request.value('as_user_id') ?? []].flat();
      const [composition, publication] = await Promise.all([
        this.composer.context(scope, request),
        this.publication.context(authorIds, request.value('text') ?? '', scope.db),
      ]);
      return { ...composition, ...publication };
    },
    problems: (request, context) => {
      const video = request.known('media_keys', 'video_title', 'video_description', 'video_cta');
      return [
        ...problemsOfNew(request, context),
        ...(video ? videoProblems(video, video.media_keys ?? [], context) : []),
      ];
    },
    apply: (unitOfWork, params, context) => {
      const { account, users } = context;
      const composition = compositionOf(params.as_user_id, params);
      const settings = params.conversation_settings ?? 'EVERYONE';
      const details = { users, now: unitOfWork.now, settings, video: params };
      const post = unitOfWork.create(newPost(account, composition, details));
      unitOfWork.addWrite(...this.publication.writesBeside(account, post, composition, context));
      return post;
    },
  });

  /** Other accounts may have other names for the post. */
  readonly name = defineWrite<Post, NamePost, { account: ActingAccount; before: string | null }, void>(POSTS, {
    locking: ([request], { id }) => ({ name: `name of post ${request.value('post_id')} in ${id}` }),
    context: async ({ account, db }, [request]) => {
      const names = rows(db, PostName).where('accountId', account.id).where('postId', request.value('post_id')!);
      return { account, before: (await names.getOne())?.name ?? null };
    },
    apply: (unitOfWork, { post_id: postId, name }, { account, before }) => {
      if (before === name) return;
      const key = { accountId: account.id, postId };
      const change = { type: 'UPDATE', entity: 'POST', id: postId, data: { name }, before: { name: before } } as const;
      unitOfWork.require(exists(Post, { id: postId }, () => POSTS.notFoundError(account)(postId)));
      unitOfWork.addWrite(
        name === null ? erase(PostName, [key]) : insertOrUpdate(PostName, [{ ...key, name }], ['name']),
        recordOf([change], account, unitOfWork.now),
      );
    },
  });
}
