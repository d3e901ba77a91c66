import type { Type } from '@nestjs/common';
import { AccountMedia } from './account-media/account-media.entity.js';
import { Card } from './entities/card.entity.js';
import { DraftPost } from './entities/draft-post.entity.js';
import { LibraryMedia } from './entities/library-media.entity.js';
import { MediaPart } from './media-upload/media-part.entity.js';
import { Media } from './entities/media.entity.js';
import { PreviewNotification } from './entities/preview-notification.entity.js';
import { PostName } from './posts/post-name.entity.js';
import { PostTerms } from './post-terms/post-terms.entity.js';
import { Post } from './entities/post.entity.js';
import { ScheduledPost } from './entities/scheduled-post.entity.js';

/** Tables of media, cards and posts. */
export const CREATIVES_ENTITIES: Type[] = [
  AccountMedia,
  Card,
  DraftPost,
  LibraryMedia,
  Media,
  MediaPart,
  Post,
  PostName,
  PostTerms,
  PreviewNotification,
  ScheduledPost,
];
