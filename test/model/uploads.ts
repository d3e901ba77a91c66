/** Media that the user has uploaded in whose name accounts promote. */
import type { MediaCategory } from '../../src/creatives/entities/media.entity.js';
import type { ModelAccount } from './world.js';

type Upload = { category: MediaCategory; media_type: string; creative_type?: string; width?: number; height?: number };
/** One of the user in whose name accounts promote. */
export type Uploaded = Upload & { media_key: string };

/** What is uploaded, and the creative type of what the library makes an advertisement: in-stream videos, and images of some sizes. */
export const UPLOADS: Upload[] = [
  { category: 'POST_IMAGE', media_type: 'IMAGE', width: 1_200, height: 628 },
  { category: 'POST_IMAGE', media_type: 'IMAGE', width: 800, height: 320 },
  { category: 'POST_IMAGE', media_type: 'IMAGE', width: 300, height: 250, creative_type: 'MEDIUM_RECTANGLE' },
  { category: 'POST_GIF', media_type: 'GIF' },
  { category: 'POST_VIDEO', media_type: 'VIDEO' },
  { category: 'AMPLIFY_VIDEO', media_type: 'VIDEO', creative_type: 'PREROLL' },
];

/** Whether the library of the account has it. */
export const isInLibrary = (account: ModelAccount, key: unknown) =>
  account.alive('LIBRARY_MEDIA').some(({ id }) => id === key);

export const uploaded = (account: ModelAccount, key: unknown) =>
  account.uploads.find(({ media_key }) => media_key === key);
