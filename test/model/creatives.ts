/** The media library and its advertisements, and posts that are not published. */
import { CARDS, hasCard } from './cards.js';
import type { Creative } from './kinds.js';
import type { Circumstances, Plain } from './plain.js';
import { flag, forbidden, invalid, like, missing, optional, type Field } from './reading.js';
import { text, time, unknown, wire, type Reading, type Table } from './reading.js';
import { uploaded } from './uploads.js';
import type { Fields, Resource } from './world.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

export const CREATIVES: Record<Creative, Plain> = {
  // one that is there changes when it is added again, and one that was deleted returns
  LIBRARY_MEDIA: {
    fits: true,
    fixed: { media_key: like(/^\d+_\d+$/, ['UPLOAD'], '3_1', 'x') },
    said: {
      name: optional(text(100)),
      file_name: optional(text(255, ['a.jpg']), ''),
      title: optional(text(70)),
      description: optional(text(200, ['Shoes'])),
    },
    added: (account, { media_key: key }) => {
      const { media_type, category: media_category } = uploaded(account, key) ?? {};
      return { media_type, media_category, posted: false };
    },
    same: (account, { media_key: key }) => account.all('LIBRARY_MEDIA').find(({ id }) => id === key),
    check: (read, fields, { account }) => {
      const media = uploaded(account, fields.media_key);
      if (!media && read.knows('media_key')) read.blame(unknown('media_key', 'MEDIA_NOT_FOUND'));
      if (!media || media.media_type === 'VIDEO') return;
      for (const name of ['title', 'description']) if (read.has(name) && fields[name]) read.blame(invalid(name));
    },
    shown: ({ fields }) => (fields.media_type === 'IMAGE' ? { title: undefined, description: undefined } : {}),
  },
  // nothing but the library adds them
  ACCOUNT_MEDIA: {},
  ...CARDS,
  DRAFT_POST: {
    fits: true,
    ...composition({}),
    added: () => ({ media_keys: [] }),
    check: checkComposition,
    shown: ({ deleted, fields }) => ({ user_id: fields.as_user_id, status: deleted ? 'DELETED' : undefined }),
  },
  SCHEDULED_POST: {
    fits: true,
    ...composition({ scheduled_at: ofMinutes(time([1, 12, 48], -1, 24 * 400)) }),
    added: () => ({
      ...{ media_keys: [], scheduled_status: 'SCHEDULED', completed_at: null, post_id: null, failure_reason: null },
    }),
    locked: ({ fields }, { now }) =>
      (fields.scheduled_status !== 'SCHEDULED' || isDue(fields, now)) && forbidden('scheduled_post_id'),
    kept: ({ fields }) => fields.scheduled_status === 'SUCCESS',
    check: (read, fields, circumstances, old) => {
      checkComposition(read, fields, circumstances, old);
      const at = fields.scheduled_at as string | undefined;
      if (at === undefined || at === old?.fields.scheduled_at) return;
      const ahead = Date.parse(at) - circumstances.now;
      if (ahead <= 0 || ahead > 365 * DAY) read.blame(['INVALID_TIME_WINDOW', 'scheduled_at']);
    },
    shown: ({ deleted, fields }) => ({
      user_id: fields.as_user_id,
      scheduled_status: deleted ? 'DELETED' : fields.scheduled_status,
    }),
  },
};

/** What is said in a post, and to whom. */
function composition(more: Table): Pick<Plain, 'fixed' | 'said'> {
  const words = text(2_000, ['Buy shoes', 'Run #fast', ' Größe '], ' ', 't'.repeat(281));
  const trimmed: Field = { ...words, read: (raw) => (words.read(raw) as string | undefined)?.trim() };
  return {
    fixed: { as_user_id: like(/^\d{1,19}$/, ['OWN'], '1', 'x') },
    said: {
      text: { ...optional(trimmed, ''), isUsual: true },
      card_uri: optional(like(/^card:\/\/\d+$/, ['CARD', 'CARD', ''], 'card://1', 'card:x')),
      nullcast: optional(flag(), true),
      name: optional(text(80)),
      ...more,
    },
  };
}

/** Only the author posts in their own timeline; others compose in the author's name. What stays as it was is not judged. */
function checkComposition(read: Reading, fields: Fields, { account, caller }: Circumstances, old?: Resource): void {
  const isNew = (name: string) => fields[name] !== old?.fields[name];
  if (!['text', 'card_uri', 'nullcast', 'scheduled_at'].some(isNew)) return;
  const isOwn = fields.as_user_id === account.fullUserId;
  if (fields.as_user_id !== undefined && !isOwn) read.blame(forbidden('as_user_id'));
  if (isOwn && fields.nullcast === false && caller.userId !== account.fullUserId) read.blame(invalid('nullcast'));
  if (String(fields.text).length > 280 && read.knows('text')) read.blame(invalid('text'));
  if (fields.text === '') read.blame(read.has('text') ? ['POST_CANNOT_BE_BLANK', 'text'] : missing('text'));
  if (isNew('card_uri') && !hasCard(account, fields.card_uri)) read.blame(invalid('card_uri'));
}

/** A time is cut to its minute. */
function ofMinutes(of: Field): Field {
  const cut = (at: number) => wire(Math.floor(at / MINUTE) * MINUTE);
  return { ...of, read: (raw) => (of.read(raw) === undefined ? undefined : cut(Date.parse(raw))) };
}

/** Whether the minute of a scheduled post has come. */
export const isDue = ({ scheduled_status, scheduled_at }: Fields, now: number): boolean =>
  scheduled_status === 'SCHEDULED' && Date.parse(String(scheduled_at)) <= now;
