import { isDeepStrictEqual } from 'node:util';
import { featureNotAvailable } from '../../accounts/accounts.errors.js';
import type { Feature } from '../../accounts/accounts.features.js';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { inclusive, missing } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { fieldsOfCtas, ORDINALS, type ConversationContent, type Ordinal } from '../card-content/card-content.js';
import { MEDIA_NEEDS, mediaProblems, type CardContext, type MediaNeed } from '../card-content/card-media.rules.js';
import type { Card } from '../entities/card.entity.js';
import { mediaIdOf, posterKeyOf } from '../media-files/media-key.js';

export type ConversationKind = 'IMAGE_CONVERSATION' | 'VIDEO_CONVERSATION';

/** Parameters with media keys. */
const MEDIA_FIELDS = ['media_key', 'poster_media_key', 'unlocked_image_media_key', 'unlocked_video_media_key'] as const;
type MediaField = (typeof MEDIA_FIELDS)[number];

type Field = 'title' | 'thank_you_text' | 'thank_you_url' | MediaField | `${Ordinal}_cta` | `${Ordinal}_cta_post`;

/** Parameters of a conversation card, as sent, or as derived from the stored card. */
export type ConversationFields = { [F in Field]?: string | null };
/** Parameters of a request, including the name. */
export type SentConversation = ConversationFields & { name?: string };

/** The account and its features; undefined features if `CONVERSATION_CARD_FEATURES` does not require any. */
export interface ConversationOwner {
  id: string;
  features?: readonly string[];
}

type Context = CardContext<ConversationOwner>;

/** Media requirements by kind. A missing field is not a parameter of that kind. */
const NEEDS: Record<ConversationKind, Partial<Record<MediaField, MediaNeed>>> = {
  IMAGE_CONVERSATION: {
    media_key: MEDIA_NEEDS.CONVERSATION_IMAGE,
    unlocked_image_media_key: MEDIA_NEEDS.UNLOCKED_IMAGE,
  },
  VIDEO_CONVERSATION: {
    media_key: MEDIA_NEEDS.CONVERSATION_VIDEO,
    poster_media_key: MEDIA_NEEDS.POSTER,
    unlocked_image_media_key: MEDIA_NEEDS.UNLOCKED_IMAGE,
    unlocked_video_media_key: MEDIA_NEEDS.UNLOCKED_VIDEO,
  },
};

/** Builds a new conversation card from the parameters. */
export function newConversationCard(
  account: { id: string },
  kind: ConversationKind,
  params: SentConversation & { name: string },
): NewColumns<Card> {
  const content = contentOf(params);
  return {
    accountId: account.id,
    kind,
    cardType: kind,
    name: params.name,
    content,
    mediaKeys: keysOf(content),
    endsAt: null,
  };
}

/** Validates the parameters and media of a new card, as far as the parameters are readable. */
export const problemsOfNewConversation = (
  kind: ConversationKind,
  request: Parsed<SentConversation>,
  context: Context,
): ApiError[] => problemsOf(kind, {}, request, context);

/** Returns the columns that an update changes. */
export function patchOfConversation(card: Row<Card>, params: SentConversation): Partial<Row<Card>> {
  const stored = conversationFieldsOf(card.content as ConversationContent);
  const content = contentOf(after(stored, params));
  const isSame = isDeepStrictEqual(content, card.content);
  return { name: params.name, ...(!isSame && { content, mediaKeys: keysOf(content) }) };
}

/** Validates the card as it will be after the update. Unchanged media are not validated. */
export const problemsOfConversationPatch = (
  request: Parsed<SentConversation>,
  context: Context,
  card: Row<Card>,
): ApiError[] =>
  problemsOf(
    card.kind as ConversationKind,
    conversationFieldsOf(card.content as ConversationContent),
    request,
    context,
  );

/** Media keys of a request, without duplicates, for the lookup. */
export const mediaKeysOfConversation = (request: Parsed<SentConversation>): string[] => [
  ...new Set(MEDIA_FIELDS.flatMap((field) => request.value(field) ?? [])),
];

function problemsOf(
  kind: ConversationKind,
  stored: ConversationFields,
  request: Parsed<SentConversation>,
  { account, library }: Context,
): ApiError[] {
  const known = (...names: Field[]): ConversationFields | undefined => {
    const sent = request.known(...names);
    return sent && after(stored, sent);
  };
  const firstFrame = firstFrameOf(known('media_key') ?? {});
  const named = MEDIA_FIELDS.flatMap((field) => {
    const mediaKey = request.value(field);
    const need = NEEDS[kind][field];
    const isKept = mediaKey === stored[field] || (field === 'poster_media_key' && mediaKey === firstFrame);
    return need && mediaKey && !isKept ? [{ parameter: field, mediaKey, need }] : [];
  });
  return [
    ...chainProblems(known, request),
    ...mediaProblems(account, named, library),
    ...featureProblems(account, stored, request),
  ];
}

/**
 * Requires a title or a second hashtag, a post text for each hashtag, and hashtags without gaps. `known` is the updated
 * card, as far as the fields are readable.
 */
function chainProblems(
  known: (...names: Field[]) => ConversationFields | undefined,
  request: Parsed<SentConversation>,
): ApiError[] {
  const problems: ApiError[] = [];
  const needs = (parameter: Field, details: string) => {
    if (!problems.some((problem) => problem.detail.parameter === parameter)) problems.push(missing(parameter, details));
  };
  const opening = known('title', 'second_cta');
  if (opening && !opening.title && !opening.second_cta) needs('title', 'or second_cta: a card requires one of them');
  for (const [i, ordinal] of ORDINALS.entries()) {
    const [cta, post] = [`${ordinal}_cta`, `${ordinal}_cta_post`] as const;
    const own = i > 0 ? known(cta, post) : undefined;
    if (own?.[cta] && !own[post]) needs(post, `${cta} requires it`);
    // Unsetting a hashtag removes its stored post text. Sending a post text without a hashtag is an error.
    if (own && !own[cta] && request.value(post)) problems.push(inclusive(post, cta));
    const before = `${ORDINALS[Math.max(i - 1, 0)]}_cta` as const;
    const chain = i > 1 ? known(before, cta) : undefined;
    if (chain?.[cta] && !chain[before]) needs(before, `${cta} requires it`);
  }
  return problems;
}

/** Requires the features of the public service. Stored fields stay allowed. */
function featureProblems(
  { features }: ConversationOwner,
  stored: ConversationFields,
  request: Parsed<SentConversation>,
): ApiError[] {
  if (!features) return [];
  const isNew = (field: Field) => {
    const sent = request.value(field);
    return Boolean(sent) && sent !== stored[field];
  };
  const wanted: [Feature, Field | undefined][] = [
    ['CONVERSATION_CARD', undefined],
    ...(['third_cta', 'fourth_cta'] as const).flatMap((field): [Feature, Field][] =>
      isNew(field) ? [['CONVERSATION_CARD_FOUR_OPTIONS', field]] : [],
    ),
    ...(['unlocked_image_media_key', 'unlocked_video_media_key'] as const).flatMap((field): [Feature, Field][] =>
      isNew(field) ? [['CONVERSATION_CARD_UNLOCK', field]] : [],
    ),
  ];
  return wanted
    .filter(([feature]) => !features.includes(feature))
    .map(([feature, parameter]) => featureNotAvailable(feature, parameter));
}

/** Fields after the request: null unsets a field, absent fields stay. */
function after(stored: ConversationFields, sent: ConversationFields): ConversationFields {
  const fields = { ...stored };
  for (const name of Object.keys(sent) as Field[]) if (sent[name] !== undefined) fields[name] = sent[name];
  return fields;
}

/** Library key of the video's first frame, which is the poster if none is set. */
const firstFrameOf = ({ media_key }: ConversationFields): string | undefined =>
  media_key ? posterKeyOf(mediaIdOf(media_key)) : undefined;

const contentOf = (fields: ConversationFields): ConversationContent => ({
  title: fields.title || null,
  ctas: ORDINALS.flatMap((ordinal) => {
    const [hashtag, post] = [fields[`${ordinal}_cta`], fields[`${ordinal}_cta_post`]];
    return hashtag && post ? [{ hashtag, post }] : [];
  }),
  thank_you_text: fields.thank_you_text!,
  thank_you_url: fields.thank_you_url || null,
  media_key: fields.media_key!,
  poster_media_key: (fields.poster_media_key !== firstFrameOf(fields) && fields.poster_media_key) || null,
  unlocked_image_media_key: fields.unlocked_image_media_key || null,
  unlocked_video_media_key: fields.unlocked_video_media_key || null,
});

/** Returns the parameters that would create this card. */
export const conversationFieldsOf = ({ ctas, ...content }: ConversationContent): ConversationFields => ({
  ...content,
  ...fieldsOfCtas(ctas),
});

const keysOf = (content: ConversationContent): string[] => [
  ...new Set(MEDIA_FIELDS.flatMap((field) => content[field] ?? [])),
];
