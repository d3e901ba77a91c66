import { mayComposeFor, type ActingAccount } from '../../accounts/access/acting-account.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing, notAllowed } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { Card, CardType } from '../entities/card.entity.js';
import { invalidMedia, postCannotBeBlank, unknownMedia } from '../creatives.errors.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import type { Media, MediaType } from '../entities/media.entity.js';
import type { Post } from '../entities/post.entity.js';
import { mediaTypeOf } from '../media-files/media-key.js';
import type { CompositionFields } from './composition.dto.js';
import { entitiesOf, textProblems, type TextEntities } from './post-text.rules.js';

/** Content and author of a post. */
export interface Composition {
  /** Author: `as_user_id`. */
  userId: string;
  /** Empty if the post has media only. */
  text: string;
  cardId: string | null;
  mediaKeys: string[];
  nullcast: boolean;
  name: string | null;
  /** Its card is a dynamic product card. */
  dynamicProductAd?: boolean;
}

/** Context of the rules: the stored rows that a request references. */
export interface CompositionContext<A extends { id: string } = ActingAccount> {
  account: A;
  /** The author's role in the account; undefined without one. */
  promotable?: Row<PromotableUser>;
  /** Media of the post that are in the account's library, by key. */
  library: ReadonlyMap<string, Row<LibraryMedia>>;
  /** Uploads of the same media, by id. */
  uploads: ReadonlyMap<string, Row<Media>>;
  /** The card, if the account has it. */
  card?: Row<Card>;
}

/** Fields of a composition that a request changes; undefined fields stay. Empty values unset. */
export type CompositionPatch = Partial<Omit<Composition, 'userId' | 'dynamicProductAd'>>;

const PREFIX = 'card://';

/** Returns the URI that posts use to reference a card. */
export const cardUriOrNull = (cardId: string | null): string | null => cardId && `${PREFIX}${cardId}`;

export const patchOfComposition = (sent: Partial<CompositionFields>): CompositionPatch => {
  const { text, card_uri, media_keys, nullcast, name } = sent;
  return {
    text,
    cardId: card_uri === null ? null : card_uri?.slice(PREFIX.length),
    mediaKeys: media_keys === null ? [] : media_keys,
    nullcast: nullcast === null ? true : nullcast,
    name,
  };
};

/** Builds a new composition with its defaults. */
export const compositionOf = (userId: string, sent: Partial<CompositionFields>): Composition => {
  const { text = '', cardId = null, mediaKeys = [], nullcast = true, name = null } = patchOfComposition(sent);
  return { userId, text, cardId, mediaKeys, nullcast, name };
};

/** Applies a patch to a composition. */
export const applyPatch = (before: Composition, patch: CompositionPatch): Composition => ({
  userId: before.userId,
  text: patch.text ?? before.text,
  cardId: patch.cardId === undefined ? before.cardId : patch.cardId,
  mediaKeys: patch.mediaKeys ?? before.mediaKeys,
  nullcast: patch.nullcast ?? before.nullcast,
  name: patch.name === undefined ? before.name : patch.name,
});

/** Parameters of a new draft, scheduled or published post. */
type NewComposition = CompositionFields & { as_user_id: string; dynamic_product_ad?: boolean | null };

/** Validates a new composition, as far as the parameters are readable. */
export function problemsOfNewComposition(request: Parsed<NewComposition>, context: CompositionContext): ApiError[] {
  const userId = request.value('as_user_id');
  const text = request.value('text');
  const cast = request.known('as_user_id', 'nullcast');
  const content = request.known('text', 'media_keys');
  const flag = request.known('dynamic_product_ad');
  const isDynamic = flag && flag.dynamic_product_ad === true;
  return [
    ...(userId === undefined ? [] : actorProblems(userId, context)),
    ...(cast?.nullcast === false ? organicProblems(cast.as_user_id, context) : []),
    ...(text ? textProblems(text) : []),
    ...(content ? blankProblems(content.text, content.media_keys ?? []) : []),
    ...mediaProblems(request.value('media_keys') ?? [], userId, context),
    ...cardProblems(patchOfComposition({ card_uri: request.value('card_uri') }).cardId ?? null, context, isDynamic),
    ...(isDynamic ? dynamicProblems(request) : []),
  ];
}

/**
 * Validates an update of a stored composition. Unchanged values always pass, and a name is never validated. `moved`:
 * the request changes the scheduled time.
 */
export function problemsOfCompositionPatch(
  request: Parsed<CompositionFields>,
  context: CompositionContext,
  before: Composition,
  moved = false,
): ApiError[] {
  const known = (name: keyof CompositionFields) => request.known(name) ?? {};
  const sent = { ...known('text'), ...known('card_uri'), ...known('media_keys'), ...known('nullcast') };
  const after = applyPatch(before, { ...patchOfComposition(sent), name: before.name });
  const changed = {
    text: after.text !== before.text,
    media: after.mediaKeys.join() !== before.mediaKeys.join(),
    card: after.cardId !== before.cardId,
    cast: after.nullcast !== before.nullcast,
  };
  if (!moved && !Object.values(changed).includes(true)) return [];
  const content = request.known('text', 'media_keys');
  return [
    ...actorProblems(after.userId, context),
    ...(after.nullcast ? [] : organicProblems(after.userId, context)),
    ...(changed.text ? textProblems(after.text) : []),
    ...(content && (changed.text || changed.media) ? blankProblems(after.text, after.mediaKeys) : []),
    ...(changed.media ? mediaProblems(after.mediaKeys, after.userId, context) : []),
    ...(changed.card ? cardProblems(after.cardId, context, false) : []),
  ];
}

/** Problems that prevent publication of a scheduled post, whose references may be deleted by then. */
export function problemsOfPublishing(
  { userId, mediaKeys, cardId }: Composition,
  context: CompositionContext<{ id: string }>,
): ApiError[] {
  const { account, promotable } = context;
  return [
    ...(promotable ? [] : [notPromotable(account, userId)]),
    ...(promotable && promotable.promotableUserType !== 'FULL' ? [repostsOnly(account, userId)] : []),
    ...mediaProblems(mediaKeys, userId, context),
    ...cardProblems(cardId, context, false),
  ];
}

const notPromotable = (account: { id: string }, userId: string): ApiError =>
  notAllowed(`User ${userId} is not a promotable user of Account ${account.id}`, {
    parameter: 'as_user_id',
    value: userId,
  });

/** A RETWEETS_ONLY user lets the account promote existing posts but not create new ones. */
const repostsOnly = (account: { id: string }, userId: string): ApiError =>
  notAllowed(`User ${userId} does not let Account ${account.id} post on their behalf`, {
    parameter: 'as_user_id',
    value: userId,
    details: 'promotable_user_type must be FULL, and is RETWEETS_ONLY; the account can promote existing posts',
  });

/** Checks whether the caller may act on behalf of the user. */
function actorProblems(userId: string, { account, promotable }: CompositionContext): ApiError[] {
  if (!promotable) return [notPromotable(account, userId)];
  if (promotable.promotableUserType !== 'FULL') return [repostsOnly(account, userId)];
  if (mayComposeFor(account, userId)) return [];
  return [
    notAllowed('This user may not post on behalf of others', {
      parameter: 'as_user_id',
      details: 'the permission POST_COMPOSER is required; see authenticated_user_access',
      value: userId,
    }),
  ];
}

/** Only the FULL promotable user can publish to their own timeline. */
function organicProblems(userId: string, { account, promotable }: CompositionContext): ApiError[] {
  // actorProblems rejects the other users
  if (promotable?.promotableUserType !== 'FULL' || userId === account.userId) return [];
  return [notOrganic()];
}

const notOrganic = (): ApiError =>
  invalid('nullcast', 'nullcast must be true for a post on behalf of another user', {
    value: false,
    details: 'only the FULL promotable user of the account can create organic posts',
  });

/** An ad for products has a card, and is promoted only. */
const dynamicProblems = (request: Parsed<NewComposition>): ApiError[] => {
  const card = request.known('card_uri');
  return [
    ...(card && !card.card_uri ? [missing('card_uri', 'dynamic_product_ad=true requires a dynamic product card')] : []),
    ...(request.value('nullcast') === false
      ? [invalid('nullcast', 'nullcast must be true for a post with dynamic_product_ad=true', { value: false })]
      : []),
  ];
};

/** Requires text if there are no media. */
function blankProblems(text: string | undefined, mediaKeys: readonly string[]): ApiError[] {
  if (text || mediaKeys.length > 0) return [];
  return text === undefined ? [missing('text', 'a post requires text or media_keys')] : [postCannotBeBlank()];
}

const MAX_IMAGES = 4;

/** Allows up to four images, one GIF or one video. Each must be in the library and usable by the author. */
function mediaProblems(
  keys: readonly string[],
  userId: string | undefined,
  { account, library, uploads }: CompositionContext<{ id: string }>,
): ApiError[] {
  const distinct = [...new Set(keys)];
  const problems = distinct
    .filter((key) => !library.has(key))
    .map((key) => unknownMedia('media_keys', key, account.id));
  const found = distinct.flatMap((key) => library.get(key) ?? []);
  for (const { mediaKey, mediaId } of found) {
    const upload = uploads.get(mediaId);
    if (userId === undefined || upload?.ownerId === userId || upload?.additionalOwners.includes(userId)) continue;
    problems.push(
      invalidMedia(
        'media_keys',
        `Media ${mediaKey} does not belong to User ${userId}`,
        mediaKey,
        'the user must have uploaded it, or be one of its additional_owners',
      ),
    );
  }
  const repeated = distinct.find((key) => keys.indexOf(key) !== keys.lastIndexOf(key));
  if (repeated !== undefined)
    problems.push(invalidMedia('media_keys', `Media ${repeated} is repeated in media_keys`, repeated));
  const images = found.filter(({ mediaType }) => mediaType === 'IMAGE').length;
  const tooMany = images > MAX_IMAGES || (images < found.length && found.length > 1);
  if (tooMany) {
    problems.push(
      invalidMedia(
        'media_keys',
        'A post can have up to 4 images, or 1 GIF, or 1 video',
        [...keys],
        found.map(({ mediaKey, mediaType }) => `${mediaKey} is of type ${mediaType}`).join(', '),
      ),
    );
  }
  return problems;
}

/**
 * Posts with `dynamic_product_ad` have a card of products, and others have none. `isDynamic`: undefined if that parameter is
 * unreadable.
 */
function cardProblems(
  cardId: string | null,
  { account, card }: CompositionContext<{ id: string }>,
  isDynamic: boolean | undefined,
): ApiError[] {
  if (cardId === null) return [];
  if (card && (isDynamic === undefined || (card.kind === 'DYNAMIC_PRODUCTS') === isDynamic)) return [];
  if (card)
    return [
      invalid(
        'card_uri',
        isDynamic
          ? `Card ${cardUriOrNull(cardId)} is not a dynamic product card, which dynamic_product_ad=true requires`
          : `Card ${cardUriOrNull(cardId)} is a dynamic product card, which only a post with dynamic_product_ad=true can have`,
        { value: cardUriOrNull(cardId) },
      ),
    ];
  return [
    invalid('card_uri', `Card ${cardUriOrNull(cardId)} was not found for Account ${account.id}`, {
      value: cardUriOrNull(cardId),
    }),
  ];
}

/** What a post shows below its text, and its links. This determines the objectives that can promote it. */
export interface ShownContent {
  /** A card replaces media; null without a card or after its deletion. */
  cardType: CardType | null;
  mediaTypes: readonly MediaType[];
  /** Number of links in the text. */
  links: number;
}

const contentOf = (cardType: CardType | null, mediaKeys: readonly string[], links: number): ShownContent => ({
  cardType,
  mediaTypes: cardType === null ? mediaKeys.map(mediaTypeOf) : [],
  links,
});

/** Content of a published post, with its card unless deleted. */
export const contentOfPost = ({ mediaKeys, entities }: Row<Post>, card: Row<Card> | undefined): ShownContent =>
  contentOf(card?.cardType ?? null, mediaKeys, (entities as TextEntities).urls.length);

/** Content of a composition that is not published yet. */
export const contentOfComposition = (
  { text, mediaKeys }: { text: string; mediaKeys: readonly string[] },
  card: Row<Card> | undefined,
): ShownContent => contentOf(card?.cardType ?? null, mediaKeys, entitiesOf(text, []).urls.length);
