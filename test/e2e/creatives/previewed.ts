import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { Clock } from '../../../src/common/time/clock.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newNumber } from '../../../src/common/entity/ids.js';
import { newRow } from '../../../src/common/db/query/new-row.js';
import { Card, type CardKind } from '../../../src/creatives/entities/card.entity.js';
import { DraftPost } from '../../../src/creatives/entities/draft-post.entity.js';
import { PreviewNotification } from '../../../src/creatives/entities/preview-notification.entity.js';
import { Post } from '../../../src/creatives/entities/post.entity.js';
import { entitiesOf } from '../../../src/creatives/composition/post-text.rules.js';
import { ScheduledPost } from '../../../src/creatives/entities/scheduled-post.entity.js';
import { BlobStore } from '../../../src/common/blobs/blob-store.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { Media, MediaSubtitles } from '../../../src/creatives/entities/media.entity.js';
import { blobKeyOf, mediaIdOf } from '../../../src/creatives/media-files/media-key.js';
import { world } from '../../support/app.js';
import { given } from '../../support/given.js';

/** Rows as they are stored, in states that requests lead to only with time. */
const store = (...writes: Parameters<typeof write>[1]) => write(world().get(DataSource).manager, writes);
const row = () => newRow(world().get(Clock).now(), newNumber);

export async function draft(account: ActingAccount, rest: Partial<Row<DraftPost>> = {}): Promise<Row<DraftPost>> {
  const made: Row<DraftPost> = {
    ...row(),
    accountId: account.id,
    userId: account.userId,
    text: 'A draft',
    cardId: null,
    mediaKeys: [],
    nullcast: true,
    name: null,
    ...rest,
  };
  await store(insert(DraftPost, [made]));
  return made;
}

/** Gives a video subtitles, of a file in SRT. */
export async function subtitled(account: ActingAccount, mediaKey: string, srt: string): Promise<void> {
  const made = await given.libraryMedia(account, { bytes: Buffer.from(srt) });
  const file = made.file.replace(/\.\w+$/, '.srt');
  await world()
    .app.get(BlobStore)
    .put(blobKeyOf(file), Readable.from([srt]), { contentType: 'text/srt' });
  await rows(world().get(DataSource).manager, Media)
    .where('id', made.mediaId)
    .update({ file, mediaType: 'SUBTITLES', category: 'SUBTITLES', contentType: 'text/srt' });
  const row = { mediaId: mediaIdOf(mediaKey), languageCode: 'EN', fileId: made.mediaId, displayName: 'English' };
  await store(insert(MediaSubtitles, [row]));
}

export async function scheduled(account: ActingAccount, rest: Partial<Row<ScheduledPost>> = {}) {
  const made: Row<ScheduledPost> = {
    ...row(),
    accountId: account.id,
    userId: account.userId,
    callerId: account.userId,
    text: 'A scheduled post',
    cardId: null,
    mediaKeys: [],
    nullcast: true,
    name: null,
    scheduledAt: '2026-12-24T17:30:00.000Z',
    scheduledStatus: 'SCHEDULED',
    completedAt: null,
    postId: null,
    failure: null,
    ...rest,
  };
  await store(insert(ScheduledPost, [made]));
  return made;
}

export async function published(account: { id: string | null; userId: string }, rest: Partial<Row<Post>> = {}) {
  const base = row();
  const text = rest.text ?? 'A published post';
  const made: Row<Post> = {
    ...base,
    accountId: account.id,
    authorId: account.userId,
    contributorId: null,
    text,
    lang: 'en',
    entities: entitiesOf(text),
    nullcast: true,
    cardId: null,
    dynamicProductAd: false,
    mediaKeys: [],
    conversationSettings: 'EVERYONE',
    inReplyToPostId: null,
    inReplyToUserId: null,
    conversational: false,
    videoTitle: null,
    videoDescription: null,
    videoCta: null,
    videoCtaValue: null,
    repostOfId: null,
    digest: base.id,
    ...rest,
  };
  await store(insert(Post, [made]));
  return made;
}

export async function card(
  account: ActingAccount,
  kind: CardKind,
  content: object,
  { mediaKeys = [], ...rest }: Partial<Row<Card>> = {},
): Promise<Row<Card>> {
  const made: Row<Card> = {
    ...row(),
    accountId: account.id,
    kind,
    cardType: 'IMAGE_WEBSITE',
    name: 'A card',
    content,
    mediaKeys,
    endsAt: null,
    ...rest,
  };
  await store(insert(Card, [made]));
  return made;
}

export async function notification(userId: string, of: Row<DraftPost>, rest: Partial<Row<PreviewNotification>> = {}) {
  const made: Row<PreviewNotification> = {
    ...row(),
    userId,
    accountId: of.accountId,
    draftPostId: of.id,
    seen: false,
    ...rest,
  };
  await store(insert(PreviewNotification, [made]));
  return made;
}

/** The URL in the frame of a preview, without its scheme and host. */
export const pathIn = (preview: string): string => new URL(/ src='([^']+)'/.exec(preview)![1]).pathname;
