import type { Type } from '@nestjs/common';
import { AccountMedia } from './account-media/account-media.entity.js';
import { Card } from './cards/card.entity.js';
import { DraftPost } from './draft-posts/draft-post.entity.js';
import { LibraryMedia } from './media-library/library-media.entity.js';
import { MediaPart } from './media-upload/media-part.entity.js';
import { Media } from './media-upload/media.entity.js';
import { PreviewNotification } from './post-previews/preview-notification.entity.js';
import { PostName } from './posts/post-name.entity.js';
import { PostTerms } from './posts/post-terms.entity.js';
import { Post } from './posts/post.entity.js';
import { ScheduledPost } from './scheduled-posts/scheduled-post.entity.js';

/** The tables of media, cards and posts. */
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
