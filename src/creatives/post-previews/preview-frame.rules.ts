import type { ShownCard, ShownDestination } from './preview-card.rules.js';
import type { PreviewMedia } from './preview-media.rules.js';
import type { ShownPost } from './preview-post.rules.js';
import { MAX_LINK_LENGTH } from './preview-text.rules.js';

/** Width of a preview frame in pixels. */
export const FRAME_WIDTH = 550;

/** Width inside the border and padding of the post. */
const POST_WIDTH = FRAME_WIDTH - 2 - 2 * 16;
/** Width inside the border of media or of a card. */
const CARD_WIDTH = POST_WIDTH - 2;
const SLIDE_WIDTH = POST_WIDTH * 0.8 - 2;
const MAX_MEDIUM_HEIGHT = 516;
const SMALL_LINE = 21;
const NORMAL_LINE = 22.5;
/** Minimum vertical distance between parts of a post. */
const GAP = 12;
/** On some systems a scrollbar below the slides takes space. */
const SCROLLBAR = 11;

/**
 * Height of a post's frame in pixels, so that the post needs no scrolling. This is an estimate for a wide font, because
 * the reader's fonts are unknown. The numbers match the stylesheet.
 */
export function heightOf(post: ShownPost): number {
  const { author, text, card, media, video, replyingTo, repostedBy, replies, stage } = post;
  // the page shortens links
  const shown = text
    .map((segment) => segment.text)
    .join('')
    .replace(/https?:\/\/\S+/g, (url) => url.slice(0, MAX_LINK_LENGTH));
  const attached = card ? cardHeight(card) : media.length > 0 ? mediaHeight(media) : 0;
  const parts = [
    2 + 14 + 10,
    repostedBy ? linesOf(`${repostedBy} reposted`, POST_WIDTH, 14) * SMALL_LINE : 0,
    Math.max(44, (linesOf(author.name, POST_WIDTH - 56, 15, BOLD) + 1) * 19.5) + 10,
    replyingTo ? SMALL_LINE : 0,
    shown === '' ? 0 : linesOf(shown, POST_WIDTH, 16) * 23.2,
    attached === 0 ? 0 : attached + GAP,
    video ? videoHeight(video) : 0,
    replies ? 8 + linesOf(replies, POST_WIDTH, 14) * SMALL_LINE : 0,
    10 + SMALL_LINE + 41,
    stage.failure ? linesOf(stage.failure, POST_WIDTH, 14) * SMALL_LINE : 0,
  ];
  return Math.ceil(parts.reduce((sum, part) => sum + part, 0));
}

const fitted = (media: PreviewMedia | undefined, width: number): number =>
  !media || media.kind === 'gone'
    ? (width * 9) / 16
    : Math.min((width * media.height) / media.width, MAX_MEDIUM_HEIGHT);

const mediaHeight = (media: PreviewMedia[]): number =>
  2 + (media.length === 1 ? fitted(media[0], CARD_WIDTH) : (CARD_WIDTH * 9) / 16);

function videoHeight({ title, description, label, href }: NonNullable<ShownPost['video']>): number {
  const button = href ? GAP + 36 + widthOf(label, 15, BOLD) : 0;
  const width = CARD_WIDTH - 2 * 14 - button;
  const words =
    (title ? linesOf(title, width, 15, BOLD) * SMALL_LINE : 0) +
    (description ? linesOf(description, width, 14) * 19.6 : 0);
  return 1 + 22 + Math.max(words, href ? 35 : 0);
}

function destinationHeight(destination: ShownDestination | undefined, width: number): number {
  if (!destination) return 0;
  const room = width - 2 * 14;
  if (destination.kind === 'website')
    return (
      22 + 1 + linesOf(destination.domain, room, 13) * 18.2 + linesOf(destination.title, room, 15, BOLD) * SMALL_LINE
    );
  const stores = destination.stores.map(({ name }) => name).join(' · ');
  const button = GAP + 36 + widthOf(destination.label, 15, BOLD);
  return 22 + 18.2 + linesOf(stores, room - button, 15) * SMALL_LINE;
}

function cardHeight(card: ShownCard | { kind: 'gone' }): number {
  switch (card.kind) {
    case 'gone':
      return 2 + 52 + NORMAL_LINE;
    case 'note':
      return 2 + 52 + linesOf(card.text, CARD_WIDTH - 32, 15) * NORMAL_LINE;
    case 'single':
      return 2 + fitted(card.slide.media, CARD_WIDTH) + destinationHeight(card.slide.destination, CARD_WIDTH);
    case 'carousel': {
      const slides = card.slides.map(
        ({ media, destination }) => fitted(media, SLIDE_WIDTH) + destinationHeight(destination, SLIDE_WIDTH),
      );
      const shared = card.destination ? 4 + 2 + destinationHeight(card.destination, CARD_WIDTH) : 0;
      return 2 + Math.max(...slides) + 6 + SCROLLBAR + shared;
    }
    case 'conversation': {
      const { title, ctas } = card;
      const asked = ctas.map(({ hashtag }) => 28 + linesOf(`Post ${hashtag}`, CARD_WIDTH - 62, 15, BOLD) * NORMAL_LINE);
      return (
        2 +
        fitted(card.media, CARD_WIDTH) +
        (title ? 12 + linesOf(title, CARD_WIDTH - 28, 15, BOLD) * NORMAL_LINE : 0) +
        asked.reduce((sum, each) => sum + each, 10) +
        (1 + 22 + SMALL_LINE)
      );
    }
    case 'poll': {
      const room = POST_WIDTH - 34 - (card.open ? 0 : 40);
      const choices = card.choices.map((choice) => 8 + 14 + linesOf(choice, room, 15, BOLD) * NORMAL_LINE);
      return (
        (card.media ? 2 + fitted(card.media, CARD_WIDTH) + GAP : 0) +
        choices.reduce((sum, each) => sum + each, 0) +
        6 +
        SMALL_LINE
      );
    }
  }
}

/** Width of bold letters relative to regular ones. */
const BOLD = 1.13;

/** Character widths relative to the font size, for wide fonts such as DejaVu Sans. The first match applies. */
const WIDTHS: [characters: RegExp, width: number][] = [
  [/[\p{M}\p{Cf}\p{Emoji_Modifier}]/u, 0],
  [/\s/u, 0.32],
  [/[ijlIJ|'’.,:;!ftr()[\]]/u, 0.4],
  [/[mwMW@%—…]/u, 1],
  [/\p{Extended_Pictographic}/u, 1.4],
  [/[\u{1100}-\u{11ff}\u{2e80}-\u{d7ff}\u{f900}-\u{faff}\u{ff00}-\u{ff60}\u{10000}-\u{10ffff}]/u, 1],
  [/\p{Lu}/u, 0.74],
];
const OTHER_WIDTH = 0.63;

const widthOf = (text: string, fontSize: number, weight = 1): number =>
  Array.from(text).reduce(
    (sum, each) => sum + (WIDTHS.find(([characters]) => characters.test(each))?.[1] ?? OTHER_WIDTH) * fontSize * weight,
    0,
  );

/** Units that stay on one line if they fit: a word, or a character of a script without spaces. */
const UNBROKEN = /\s+|[\u{1100}-\u{11ff}\u{2e80}-\u{d7ff}]|[^\s\u{1100}-\u{11ff}\u{2e80}-\u{d7ff}]+/gu;

/** Number of lines of a text at a given width. A word longer than a line breaks anywhere. */
function linesOf(text: string, width: number, fontSize: number, weight?: number): number {
  return text.split('\n').reduce((sum, paragraph) => sum + wrapped(paragraph), 0);

  function wrapped(paragraph: string): number {
    let lines = 1;
    let used = 0;
    for (const [word] of paragraph.matchAll(UNBROKEN)) {
      const needed = widthOf(word, fontSize, weight);
      if (word.trim() === '') used = Math.min(width, used + needed);
      else if (used + needed <= width) used += needed;
      else {
        if (used > 0) lines++;
        // the next word follows the last piece of a broken word
        const whole = Math.max(0, Math.ceil(needed / width) - 1);
        lines += whole;
        used = needed - whole * width;
      }
    }
    return lines;
  }
}
