import { isDeepStrictEqual } from 'node:util';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { missing, notFound } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { invalidMedia } from '../creatives.errors.js';
import type { Component, ComponentsContent } from '../card-content/card-content.js';
import { MEDIA_NEEDS, mediaProblems, type CardContext, type NamedMedia } from '../card-content/card-media.rules.js';
import type { Card, ComponentCardType } from '../entities/card.entity.js';
import type { CreateCard, UpdateCard } from './cards.dto.js';

type Sent = Pick<UpdateCard, 'components' | 'slides'>;

/** Builds a new card from the parameters. */
export function newCard(account: { id: string }, params: CreateCard): NewColumns<Card> {
  const content = contentAfter(params)!;
  return { accountId: account.id, kind: 'COMPONENTS', name: params.name, ...columnsOf(content), endsAt: null };
}

/** Validates the media and the presence of components of a new card, as far as the parameters are readable. */
export function problemsOfNewCard(request: Parsed<CreateCard>, context: CardContext): ApiError[] {
  const sent = request.known('components', 'slides');
  return sent ? contentProblems(contentAfter(sent), context) : [];
}

/** Returns the columns that an update changes. */
export function patchOfCard(card: Row<Card>, params: UpdateCard): Partial<Row<Card>> {
  const content = contentAfter(params, card.content)!;
  return { name: params.name, ...(isDeepStrictEqual(content, card.content) ? {} : columnsOf(content)) };
}

/** Validates an update, as far as the parameters are readable. The card can keep media that it already shows. */
export function problemsOfCardPatch(request: Parsed<UpdateCard>, context: CardContext, card: Row<Card>): ApiError[] {
  const sent = request.known('components', 'slides');
  if (!sent) return [];
  const kept = new Set([...card.mediaKeys, ...formsOf(card.content).map(({ id }) => id)]);
  return contentProblems(contentAfter(sent, card.content), context, kept);
}

/** The card's content after the request. Components and slides replace each other; undefined if neither is left. */
export function contentAfter({ components, slides }: Sent, stored?: ComponentsContent): ComponentsContent | undefined {
  if (components) return { components };
  if (slides) return { slides };
  if (!stored || (stored.components && components === null) || (stored.slides && slides === null)) return undefined;
  return stored;
}

/** Ids of the lead forms of a request, for the lookup. */
export const formIdsOfCard = (sent: Sent | undefined): string[] => {
  const content = sent && contentAfter(sent);
  return content ? formsOf(content).map(({ id }) => id) : [];
};

/** Media keys of a request, without duplicates, for the lookup. */
export const mediaKeysOfCard = (sent: Sent | undefined): string[] => {
  const content = sent && contentAfter(sent);
  return content ? keysOf(content) : [];
};

function contentProblems(
  content: ComponentsContent | undefined,
  { account, library, forms }: CardContext,
  kept: ReadonlySet<string> = new Set(),
): ApiError[] {
  if (!content) return [missing('components', 'a card requires components or slides')];
  const asked = mediaOf(content).filter(({ mediaKey }) => !kept.has(mediaKey));
  const unknown = formsOf(content).filter(({ id }) => !kept.has(id) && !forms?.has(id));
  return [
    ...repeatedMedia(content),
    ...mediaProblems(account, asked, library),
    ...unknown.map(({ id, parameter }) => notFound('Lead Form', parameter, id, account.id)),
  ];
}

/** Rejects duplicate entries in `media_keys`. */
function repeatedMedia({ components = [] }: ComponentsContent): ApiError[] {
  return components.flatMap((component, at) => {
    if (component.type !== 'SWIPEABLE_MEDIA') return [];
    return component.media_keys.flatMap((mediaKey, i, all) =>
      all.indexOf(mediaKey) === i
        ? []
        : [invalidMedia(`components[${at}].media_keys[${i}]`, `Media ${mediaKey} is repeated`, mediaKey)],
    );
  });
}

/** The components of a card with their places. */
const placed = ({ components, slides }: ComponentsContent) =>
  slides
    ? slides.flatMap((slide, i) => slide.map((component, j) => ({ component, place: `slides[${i}][${j}]` })))
    : (components ?? []).map((component, i) => ({ component, place: `components[${i}]` }));

/** Lead forms of a card with their places. */
const formsOf = (content: ComponentsContent): { parameter: string; id: string }[] =>
  placed(content).flatMap(({ component, place }) => {
    const destination = 'destination' in component ? component.destination : undefined;
    return destination?.type === 'LEAD_FORM' ? [{ parameter: `${place}.destination.id`, id: destination.id }] : [];
  });

/** Media of a card with their places, each place once. */
export function mediaOf(content: ComponentsContent): NamedMedia[] {
  const need = MEDIA_NEEDS.COMPONENT;
  return placed(content).flatMap(({ component, place }): NamedMedia[] => {
    if (component.type === 'MEDIA') return [{ parameter: `${place}.media_key`, mediaKey: component.media_key, need }];
    if (component.type !== 'SWIPEABLE_MEDIA') return [];
    return component.media_keys.flatMap((mediaKey, i, all) =>
      all.indexOf(mediaKey) === i ? [{ parameter: `${place}.media_keys[${i}]`, mediaKey, need }] : [],
    );
  });
}

const keysOf = (content: ComponentsContent) => [...new Set(mediaOf(content).map(({ mediaKey }) => mediaKey))];

const columnsOf = (content: ComponentsContent) => ({
  cardType: cardTypeOf(content),
  content,
  mediaKeys: keysOf(content),
});

/** Image keys start with 3. All other media in cards are videos. */
const mixOf = (keys: readonly string[]): 'IMAGE' | 'VIDEO' | 'MIXED_MEDIA' => {
  const images = keys.filter((key) => key.startsWith('3_')).length;
  return images === keys.length ? 'IMAGE' : images === 0 ? 'VIDEO' : 'MIXED_MEDIA';
};

/** Derives the type of a card from its content. */
export function cardTypeOf(content: ComponentsContent): ComponentCardType {
  const mix = mixOf(keysOf(content));
  if (content.slides) return `${mix}_MULTI_DEST_CAROUSEL_WEBSITE`;
  const [media, description] = content.components as [Component, Component];
  // X documents no type for cards with a lead form
  const isForApp = description.type === 'BUTTON' && description.destination.type === 'APP';
  const destination = isForApp ? 'APP' : 'WEBSITE';
  if (media.type === 'SWIPEABLE_MEDIA')
    return mix === 'MIXED_MEDIA' ? `${mix}_SINGLE_DEST_CAROUSEL_${destination}` : `${mix}_CAROUSEL_${destination}`;
  return `${mix as 'IMAGE' | 'VIDEO'}_${destination}`;
}
