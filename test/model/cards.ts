/** Cards: polls, questions under an image that are answered by a hashtag, and those made of components. */
import { COMPONENT_CARD } from './component-cards.js';
import type { Card } from './kinds.js';
import type { Plain } from './plain.js';
import { between, field, hidden, invalid, like, missing, optional, text, wire } from './reading.js';
import type { Problem, RawParams, Reading } from './reading.js';
import { isInLibrary, uploaded } from './uploads.js';
import type { Fields, ModelAccount, Resource } from './world.js';

const MINUTE = 60_000;
const ORDINALS = ['first', 'second', 'third', 'fourth'];

const choice = text(25, ['Tea', 'Coffee', 'Water', 'Milk', 'Größe ☃']);
const CHOICES = ORDINALS.map((ordinal) => `${ordinal}_choice`);

/** With its # or without; answers show it. */
const hashtag = field(
  (raw) => (/^#?[\p{L}\p{M}\p{N}_]{1,20}$/u.test(raw) ? `#${raw.replace('#', '')}` : undefined),
  ['tea', '#Coffee', 'größe_1'],
  ...['two words', 'x'.repeat(21), '##tea'],
);
const post = text(280, ['Tea, please', '#Coffee ☃']);
/** The sides of the images of a card, with the least width of all. */
const SHAPES: Record<string, [number, number]> = { media_key: [1_200, 628], unlocked_image_media_key: [800, 320] };
const image = (stands: string) => like(/^\d+_\d+$/, [stands], '3_1', 'x');

export const CARDS: Record<Card, Plain> = {
  CARD: {
    fixed: {
      name: text(80),
      duration_in_minutes: between(5, 10_080),
      first_choice: choice,
      second_choice: choice,
      third_choice: hidden(choice),
      fourth_choice: hidden(choice),
    },
    added: () => ({ card_type: 'TEXT_POLLS' }),
    check: (read, fields) => {
      if (read.knows('third_choice') && fields.fourth_choice && !fields.third_choice)
        read.blame(missing('third_choice'));
      if (!read.knows(...CHOICES)) return;
      const choices = CHOICES.filter((name) => fields[name] !== undefined);
      const again = choices.find((name, at) => choices.slice(0, at).some((other) => fields[other] === fields[name]));
      if (again) read.blame(invalid(again));
    },
    shown: (card) => ({
      ...{ card_id: card.id, card_uri: `card://${card.id}` },
      duration_in_minutes: String(card.fields.duration_in_minutes),
      start_time: card.created_at,
      end_time: wire(Date.parse(card.created_at) + Number(card.fields.duration_in_minutes) * MINUTE),
    }),
  },
  IMAGE_CARD: {
    fits: true,
    said: {
      name: text(80),
      title: { ...optional(text(23)), isUsual: true },
      thank_you_text: text(23),
      first_cta: hashtag,
      first_cta_post: post,
      media_key: image('WIDE'),
      unlocked_image_media_key: hidden(image('FLAT')),
      thank_you_url: hidden(like(/^https?:\/\/[^ ]+\/$/, ['https://example.com/tea/'], 'ftp://example.com/', 'tea')),
      ...Object.fromEntries(
        ORDINALS.slice(1).flatMap((ordinal) => [
          [`${ordinal}_cta`, hidden(hashtag)],
          [`${ordinal}_cta_post`, hidden(post)],
        ]),
      ),
    },
    added: () => ({ card_type: 'IMAGE_CONVERSATION', image_display_width: '1200', image_display_height: '628' }),
    check: (read, fields, { account }, old) => {
      const problems = ORDINALS.slice(1).flatMap((_, at) => chain(read, fields, at + 1));
      if (read.knows('title', 'second_cta') && !fields.title && !fields.second_cta) problems.push(missing('title'));
      // of each parameter one is enough
      const isFirst = ([, name]: Problem, at: number) => problems.findIndex((each) => each[1] === name) === at;
      for (const each of problems.filter(isFirst)) read.blame(each);
      for (const [name, shape] of Object.entries(SHAPES))
        if (fields[name] && read.knows(name) && fields[name] !== old?.fields[name])
          for (const code of faultsOf(account, fields[name], shape)) read.blame([code, name]);
    },
    shown: ({ id }) => ({ card_id: id, card_uri: `card://${id}`, unlocked_image_media_key: undefined }),
  },
  COMPONENT_CARD,
};

/** A hashtag and its post need each other, and the hashtag before them. A post goes with its hashtag. */
function chain(read: Reading, fields: Fields, at: number): Problem[] {
  const [cta, before] = [`${ORDINALS[at]}_cta`, `${ORDINALS[at - 1]}_cta`];
  const own = `${cta}_post`;
  const problems: Problem[] = [];
  if (at > 1 && read.knows(cta, before) && fields[cta] && !fields[before]) problems.push(missing(before));
  if (!read.knows(cta, own)) return problems;
  if (fields[cta] && !fields[own]) problems.push(missing(own));
  if (!fields[cta] && fields[own] && read.has(own)) problems.push(['INCLUSIVE_PARAMETERS', cta]);
  if (!fields[cta]) fields[own] = undefined;
  return problems;
}

/** Takes what has no place out of the hashtags that a request says. */
export function tidy(params: RawParams): void {
  for (const [at, ordinal] of ORDINALS.entries()) {
    const [cta, own] = [`${ordinal}_cta`, `${ordinal}_cta_post`];
    if (params[cta] && (at < 2 || params[`${ORDINALS[at - 1]}_cta`])) params[own] ??= 'Tea, please';
    else for (const each of [cta, own]) delete params[each];
  }
}

/** What is wrong with an image: it is of the library, wide enough, and has this shape. */
function faultsOf(account: ModelAccount, key: unknown, [width, height]: [number, number]): string[] {
  const media = uploaded(account, key);
  if (!media || !isInLibrary(account, key)) return ['INVALID_MEDIA_ID'];
  if (media.media_type !== 'IMAGE') return ['INVALID_MEDIA'];
  const flaws = [media.width! < 800, media.width! / media.height! !== width / height];
  return flaws.filter(Boolean).map(() => 'INVALID_MEDIA');
}

/** Whether there is the card that a post shows, if it shows one. */
export const hasCard = (account: ModelAccount, uri: unknown): boolean =>
  typeof uri !== 'string' || cardsOf(account).some(({ id, deleted }) => !deleted && uri === `card://${id}`);

/** The cards of an account, of all kinds, perhaps deleted. */
export const cardsOf = (account: ModelAccount): Resource[] => (Object.keys(CARDS) as Card[]).flatMap(account.all);
