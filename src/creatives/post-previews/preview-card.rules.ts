import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type {
  AppDestination,
  ButtonLabel,
  Component,
  ComponentsContent,
  ConversationContent,
  DynamicProductContent,
  LeadFormDestination,
  PollContent,
  WebsiteDestination,
} from '../card-content/card-content.js';
import type { Card } from '../entities/card.entity.js';
import { mediaIdOf, mediaTypeOf, posterKeyOf } from '../media-files/media-key.js';
import type { ShowMedia, PreviewMedia } from './preview-media.rules.js';
import type { PreviewedProduct, ProductsOfPost } from './previewed-product.js';
import { domainOf, webUrl } from './preview-text.rules.js';
import { countOf } from '../../common/text/nouns.js';

/** Destination of a card and the text below its media. */
export type ShownDestination =
  | { kind: 'website'; href?: string; domain: string; title: string }
  | { kind: 'app'; label: string; href: string; stores: { name: string; href: string; id: string }[] };

/** One slide of a carousel, or the whole card. */
interface ShownSlide {
  media: PreviewMedia;
  /** Destination of this slide; a carousel with a single destination shows it below all slides. */
  destination?: ShownDestination;
}

/** A card as the preview page shows it. */
export type ShownCard =
  /** A card without products. */
  | { kind: 'note'; text: string }
  | { kind: 'single'; slide: ShownSlide }
  | { kind: 'carousel'; slides: ShownSlide[]; destination?: ShownDestination }
  | {
      kind: 'conversation';
      media: PreviewMedia;
      title: string | null;
      ctas: { hashtag: string; post: string }[];
      thanks: { text: string; href?: string; domain?: string };
      unlocked: PreviewMedia[];
    }
  | { kind: 'poll'; media?: PreviewMedia; choices: string[]; open: boolean; end: string; endsAt: string | null };

const LABELS: Record<ButtonLabel, string> = {
  BOOK: 'Book',
  CONNECT: 'Connect',
  INSTALL: 'Install',
  OPEN: 'Open',
  ORDER: 'Order',
  PLAY: 'Play',
  SHOP: 'Shop',
};

/** Keys of all media that a card shows, including posters and unlocked media. */
export function mediaOfCard({ kind, content, mediaKeys }: Pick<Row<Card>, 'kind' | 'content' | 'mediaKeys'>): string[] {
  if (kind === 'POLL') return compact([...mediaKeys, (content as PollContent).media_key]);
  if (kind === 'COMPONENTS' || kind === 'DYNAMIC_PRODUCTS') return mediaKeys;
  const { media_key, unlocked_image_media_key, unlocked_video_media_key } = content as ConversationContent;
  return compact([
    ...mediaKeys,
    media_key,
    posterOf(content as ConversationContent),
    unlocked_image_media_key,
    unlocked_video_media_key,
  ]);
}

/** Poster of a conversation card's video: the first frame unless one is set. */
const posterOf = ({ media_key, poster_media_key }: ConversationContent): string | null =>
  mediaTypeOf(media_key) === 'VIDEO' ? (poster_media_key ?? posterKeyOf(mediaIdOf(media_key))) : null;

const compact = (keys: (string | null | undefined)[]) => keys.filter((key): key is string => !!key);

/** The current appearance of a card of any kind. */
export function shownCard(
  { kind, content, endsAt }: Row<Card>,
  show: ShowMedia,
  now: Date,
  products: ProductsOfPost = 'not promoted',
): ShownCard {
  if (kind === 'COMPONENTS') return componentsShown(content, show);
  if (kind === 'DYNAMIC_PRODUCTS') return productsShown(content as DynamicProductContent, products);
  if (kind === 'POLL') return pollShown(content as PollContent, endsAt, show, now);
  return conversationShown(content as ConversationContent, show);
}

function componentsShown({ components, slides }: ComponentsContent, show: ShowMedia): ShownCard {
  if (slides) {
    return {
      kind: 'carousel',
      slides: slides.map((slide) => ({ media: mediaIn(slide, show)[0], destination: destinationIn(slide) })),
    };
  }
  const media = mediaIn(components ?? [], show);
  const destination = destinationIn(components ?? []);
  if (media.length > 1) return { kind: 'carousel', slides: media.map((each) => ({ media: each })), destination };
  return { kind: 'single', slide: { media: media[0], destination } };
}

const mediaIn = (components: readonly Component[], show: ShowMedia): PreviewMedia[] =>
  components.flatMap((component) => {
    if (component.type === 'MEDIA') return [show(component.media_key)];
    return component.type === 'SWIPEABLE_MEDIA' ? component.media_keys.map((key) => show(key)) : [];
  });

function destinationIn(components: readonly Component[]): ShownDestination | undefined {
  for (const component of components) {
    if (component.type === 'DETAILS') return linkShown(component.title, component.destination);
    if (component.type === 'BUTTON') {
      const { label, destination } = component;
      return destination.type === 'APP'
        ? appShown(LABELS[label.value], destination)
        : linkShown(LABELS[label.value], destination);
    }
  }
  return undefined;
}

/** A form has no address of its own. */
const linkShown = (title: string, to: WebsiteDestination | LeadFormDestination): ShownDestination =>
  to.type === 'LEAD_FORM'
    ? { kind: 'website', domain: 'Form', title }
    : { kind: 'website', href: webUrl(to.url), domain: domainOf(to.url), title };

function appShown(label: string, destination: AppDestination): ShownDestination {
  const { country_code: country, googleplay_app_id: play, ios_app_store_identifier: ios } = destination;
  const stores = [
    ...(ios ? [{ name: 'App Store', id: ios, href: appStoreUrl(country, ios) }] : []),
    ...(play ? [{ name: 'Google Play', id: play, href: googlePlayUrl(country, play) }] : []),
  ];
  return { kind: 'app', label, href: stores[0]?.href ?? '', stores };
}

const appStoreUrl = (country: string, id: string) =>
  `https://apps.apple.com/${encodeURIComponent(country.toLowerCase())}/app/id${encodeURIComponent(id)}`;
const googlePlayUrl = (country: string, id: string) =>
  `https://play.google.com/store/apps/details?id=${encodeURIComponent(id)}&gl=${encodeURIComponent(country)}`;

function conversationShown(content: ConversationContent, show: ShowMedia): ShownCard {
  const { title, ctas, thank_you_text, thank_you_url, media_key } = content;
  const href = webUrl(thank_you_url);
  const unlocked = compact([content.unlocked_image_media_key, content.unlocked_video_media_key]);
  return {
    kind: 'conversation',
    media: show(media_key, posterOf(content)),
    title,
    ctas,
    thanks: { text: thank_you_text, ...(href && { href, domain: domainOf(href) }) },
    unlocked: unlocked.map((key) => show(key)),
  };
}

/** Maximum number of slides of a card of products. */
export const MAX_PREVIEWED_PRODUCTS = 10;

/** A product with the longest title, for the height of a frame before its products are read. */
export const TALLEST: PreviewedProduct[] = Array.from({ length: 2 }, () => ({
  title: 'Product '.repeat(19).trim(),
  price: '1000.00 USD',
  link: 'https://www.example.com/',
}));

const NOTES = {
  'not promoted': 'The card shows products as soon as a line item promotes the post.',
  withheld: 'The card shows the products of a product set, which only the user of its catalog can see here.',
};

/** Products as slides. Their pictures are on the servers of the shop, which the page does not ask. */
function productsShown({ url, creative_type }: DynamicProductContent, products: ProductsOfPost): ShownCard {
  if (typeof products === 'string') return { kind: 'note', text: NOTES[products] };
  if (products.length === 0) return { kind: 'note', text: 'No product of the product set is available.' };
  const slides = products.slice(0, MAX_PREVIEWED_PRODUCTS).map(({ title, price, link }): ShownSlide => {
    const href = webUrl(withParameters(link, url));
    const media = { kind: 'gone' as const, alt: `Picture of ${title}` };
    return { media, destination: { kind: 'website', href, domain: `${price} · ${domainOf(link)}`, title } };
  });
  return creative_type === 'SINGLE' || slides.length === 1
    ? { kind: 'single', slide: slides[0] }
    : { kind: 'carousel', slides };
}

/** The link of a product with the parameters of the card's URL. */
function withParameters(link: string, from: string): string {
  if (!URL.canParse(link) || !URL.canParse(from)) return link;
  const result = new URL(link);
  for (const [name, value] of new URL(from).searchParams) result.searchParams.set(name, value);
  return result.href;
}

function pollShown({ choices, media_key }: PollContent, endsAt: string | null, show: ShowMedia, now: Date): ShownCard {
  const left = endsAt === null ? 0 : new Date(endsAt).getTime() - now.getTime();
  return {
    kind: 'poll',
    ...(media_key && { media: show(media_key) }),
    choices,
    open: left > 0,
    end: left > 0 ? timeLeft(left) : 'Final results',
    endsAt: endsAt && wireTime(endsAt),
  };
}

const MINUTE = 60_000;
const UNITS: [name: string, ms: number][] = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** Remaining time of a poll in the largest non-zero unit. */
export function timeLeft(ms: number): string {
  for (const [name, length] of UNITS) {
    const whole = Math.floor(ms / length);
    if (whole > 0) return `${countOf(whole, name)} left`;
  }
  return 'Less than a minute left';
}
