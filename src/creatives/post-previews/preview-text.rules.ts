/** A segment of a post's text on the preview page. */
export type TextSegment =
  | { kind: 'text'; text: string }
  /** A hashtag, mention or symbol. It has no link, because there are no pages for them. */
  | { kind: 'tag'; text: string }
  | { kind: 'link'; text: string; href: string };

type Indices = readonly number[];

/** Positions of entities in a text in code points, as in responses. */
export interface PlacedEntities {
  hashtags?: { indices: Indices }[];
  symbols?: { indices: Indices }[];
  user_mentions?: { indices: Indices; screen_name?: string }[];
  urls?: { indices: Indices; url: string; expanded_url?: string | null; display_url?: string | null }[];
}

/** Maximum displayed length of a link without its scheme. */
export const MAX_LINK_LENGTH = 32;

interface Placed {
  start: number;
  end: number;
  segment: (text: string) => TextSegment;
}

/** Splits the text at its entities. Entities that overlap or lie outside the text stay plain text. */
export function segmentsOf(text: string, entities: PlacedEntities): TextSegment[] {
  const characters = Array.from(text);
  const segments: TextSegment[] = [];
  let at = 0;
  const plain = (end: number) => {
    if (end > at) segments.push({ kind: 'text', text: characters.slice(at, end).join('') });
  };
  for (const { start, end, segment } of placed(entities)) {
    if (!(start >= at && end > start && end <= characters.length)) continue;
    plain(start);
    segments.push(segment(characters.slice(start, end).join('')));
    at = end;
  }
  plain(characters.length);
  return segments;
}

function placed({ hashtags = [], symbols = [], user_mentions: mentions = [], urls = [] }: PlacedEntities): Placed[] {
  const tags = [...hashtags, ...symbols, ...mentions].map(({ indices: [start, end] }) => ({
    start,
    end,
    segment: (text: string): TextSegment => ({ kind: 'tag', text }),
  }));
  const links = urls.map(({ indices: [start, end], url, expanded_url: expanded, display_url: displayed }) => ({
    start,
    end,
    segment: (text: string): TextSegment => linkTo(expanded ?? url, displayed ?? text),
  }));
  return [...tags, ...links].sort((one, other) => one.start - other.start);
}

function linkTo(url: string, text: string): TextSegment {
  const href = webUrl(/^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`);
  if (href === undefined) return { kind: 'text', text };
  return { kind: 'link', href, text: shortened(text.replace(/^https?:\/\//i, '')) };
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_LINK_LENGTH ? `${characters.slice(0, MAX_LINK_LENGTH - 1).join('')}…` : text;
}

/** Returns a URL that a page may link to (web only), or undefined. */
export function webUrl(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

/** Host of a URL as displayed to users. */
export const domainOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url;
