/** A piece of a post's text, as the page shows it. */
export type Segment =
  | { kind: 'text'; text: string }
  /** A hashtag, a mention or a symbol: they lead nowhere, for there are no pages of them here. */
  | { kind: 'tag'; text: string }
  | { kind: 'link'; text: string; href: string };

type Indices = readonly number[];

/** Where in a text its entities are, in code points, as answers show them. */
export interface PlacedEntities {
  hashtags?: { indices: Indices }[];
  symbols?: { indices: Indices }[];
  user_mentions?: { indices: Indices; screen_name?: string }[];
  urls?: { indices: Indices; url: string; expanded_url?: string | null; display_url?: string | null }[];
}

/** How much of a link is shown, without its scheme. */
export const MAX_LINK_LENGTH = 32;

interface Placed {
  start: number;
  end: number;
  segment: (text: string) => Segment;
}

/** The text cut where its entities begin and end; what overlaps another or lies outside stays plain. */
export function segmentsOf(text: string, entities: PlacedEntities): Segment[] {
  const characters = Array.from(text);
  const segments: Segment[] = [];
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
    segment: (text: string): Segment => ({ kind: 'tag', text }),
  }));
  const links = urls.map(({ indices: [start, end], url, expanded_url: expanded, display_url: displayed }) => ({
    start,
    end,
    segment: (text: string): Segment => linkTo(expanded ?? url, displayed ?? text),
  }));
  return [...tags, ...links].sort((one, other) => one.start - other.start);
}

function linkTo(url: string, text: string): Segment {
  const href = webUrl(/^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`);
  if (href === undefined) return { kind: 'text', text };
  return { kind: 'link', href, text: shortened(text.replace(/^https?:\/\//i, '')) };
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_LINK_LENGTH ? `${characters.slice(0, MAX_LINK_LENGTH - 1).join('')}…` : text;
}

/** The URL where a page may lead to it: on the web, and nowhere else. */
export function webUrl(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

/** The host of a URL as people know it. */
export const domainOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url;
