/** The media library of an account, and its media that are advertisements by themselves. */
import type { MediumFacts } from '../support/given/creatives.js';
import type { Plain } from './plain.js';
import { invalid, like, optional, text, unknown } from './reading.js';
import type { ModelAccount } from './world.js';

/** An upload of the user in whose name accounts promote. */
export interface Uploaded {
  media_key: string;
  media_type: 'IMAGE' | 'GIF' | 'VIDEO';
  media_category: string;
  creative_type?: string;
}

/** What is uploaded, and the creative type of what the library makes an advertisement: in-stream videos, and images of some sizes. */
export const UPLOADS: (Omit<Uploaded, 'media_key' | 'media_category'> & MediumFacts)[] = [
  { category: 'POST_IMAGE', media_type: 'IMAGE' },
  { category: 'POST_IMAGE', media_type: 'IMAGE', width: 300, height: 250, creative_type: 'MEDIUM_RECTANGLE' },
  { category: 'POST_GIF', media_type: 'GIF' },
  { category: 'POST_VIDEO', media_type: 'VIDEO' },
  { category: 'AMPLIFY_VIDEO', media_type: 'VIDEO', creative_type: 'PREROLL' },
];

export const uploaded = (account: ModelAccount, key: unknown) =>
  account.uploads.find(({ media_key }) => media_key === key);

const ofVideos = ['title', 'description'];

export const MEDIA: Record<'LIBRARY_MEDIA' | 'ACCOUNT_MEDIA', Plain> = {
  // one that is there changes when it is added again, and one that was deleted returns
  LIBRARY_MEDIA: {
    fits: true,
    fixed: { media_key: like(/^\d+_\d+$/, ['MEDIA'], '3_1', 'x') },
    said: {
      name: optional(text(100)),
      file_name: optional(text(255, ['a.jpg']), ''),
      title: optional(text(70)),
      description: optional(text(200, ['Shoes'])),
    },
    added: (account, { media_key: key }) => {
      const { media_type, media_category } = uploaded(account, key) ?? {};
      return { media_type, media_category, posted: false };
    },
    same: (account, { media_key: key }) => account.all('LIBRARY_MEDIA').find(({ id }) => id === key),
    check: (read, fields, { account }) => {
      const { media_key: key } = fields;
      const media = uploaded(account, key);
      if (key !== undefined && !media) read.blame(unknown('media_key', 'MEDIA_NOT_FOUND'));
      if (!media || media.media_type === 'VIDEO') return;
      for (const name of ofVideos) if (read.has(name) && fields[name]) read.blame(invalid(name));
    },
    shown: ({ fields }) => (fields.media_type === 'IMAGE' ? { title: undefined, description: undefined } : {}),
  },
  // nothing but the library adds them
  ACCOUNT_MEDIA: {},
};
