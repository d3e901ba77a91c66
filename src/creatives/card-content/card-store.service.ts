import { Injectable } from '@nestjs/common';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { resetMeanwhile } from '../../accounts/accounts.errors.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { allStillExist } from '../../common/db/query/preconditions.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { CARDS, type Card, type CardKind } from '../entities/card.entity.js';
import { LIBRARY_MEDIA, LibraryMedia } from '../entities/library-media.entity.js';
import { LEAD_FORMS, LeadForm } from '../lead-forms/lead-form.entity.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { LibraryMediaQueries } from '../media-library/library-media.queries.js';
import type { ConversationContent } from './card-content.js';
import type { CardContext } from './card-media.rules.js';
import type { CardWithMedia } from './card.presenter.js';

/**
 * Reads and stores cards of every kind with their media. Cards of a kind other than the requested one are not found.
 */
@Injectable()
export class CardStore {
  constructor(
    private readonly resources: Resources,
    private readonly media: LibraryMediaQueries,
    private readonly urls: MediaUrls,
  ) {}

  /** The cards of an account, of one kind or of all kinds. */
  of(account: AccountReader, kind?: CardKind): Rows<Card> {
    const cards = this.resources.of(account, CARDS);
    return kind ? cards.where('kind', kind) : cards;
  }

  get(account: AccountReader, id: string, query?: OneQuery, kind?: CardKind): Promise<Row<Card>> {
    return one(this.of(account, kind), id, CARDS.notFoundError(account), query);
  }

  /** Context of the rules for a write. Media and lead forms must still exist when the write is stored. */
  async context(
    unit: UnitOfWork<Card>,
    mediaKeys: readonly string[],
    formIds: readonly string[] = [],
  ): Promise<CardContext<ActingAccount>> {
    const { account, db } = unit;
    const [library, forms] = await Promise.all([
      this.media.byKey(account, mediaKeys, db),
      formIds.length > 0 ? this.resources.of(account, LEAD_FORMS, db).whereIn('id', formIds).getMany() : [],
    ]);
    // The retry reads again and reports what was deleted.
    unit.require(...allStillExist(LibraryMedia, library.values()), ...allStillExist(LeadForm, forms));
    return { account, library, forms: new Set(forms.map(({ id }) => id)) };
  }

  /** Reads the media and the video owner of all cards at once and returns a lookup by card. */
  async seen(account: AccountReader, cards: readonly Row<Card>[]): Promise<(card: Row<Card>) => CardWithMedia> {
    const keys = [...new Set(cards.flatMap(({ mediaKeys }) => mediaKeys))];
    const hasOwner = cards.some(({ kind }) => kind === 'VIDEO_CONVERSATION');
    const [found, frames, owner] = await Promise.all([
      keys.length > 0 ? this.everIn(account).whereIn('mediaKey', keys).getMany() : [],
      this.media.firstFrames(account.db, [...new Set(cards.flatMap(videoWithoutPoster))]),
      hasOwner ? this.resources.of(account, PROMOTABLE_USERS).where('promotableUserType', 'FULL').getOne() : undefined,
    ]);
    const media = new Map(
      found.map((medium) => {
        const urlOf = (file: string | null) => (file === null ? null : this.urls.of(file));
        const posterUrl = urlOf(medium.posterFile);
        const firstFrameUrl = urlOf(frames.get(medium.mediaKey) ?? null);
        return [medium.mediaKey, { medium, url: this.urls.of(medium.file), posterUrl, firstFrameUrl }];
      }),
    );
    const isGone = (key: string) => !media.has(key);
    if (cards.some(({ kind, mediaKeys }) => kind !== 'COMPONENTS' && mediaKeys.some(isGone)))
      throw resetMeanwhile(account.id);
    return (card) => ({ card, media, ownerId: owner?.userId ?? null });
  }

  /** One card with its media. */
  async seenOne(account: AccountReader, card: Row<Card>): Promise<CardWithMedia> {
    return (await this.seen(account, [card]))(card);
  }

  /** The account's media including removed ones, because cards keep showing media removed from the library. */
  private everIn(account: AccountReader): Rows<LibraryMedia> {
    return this.resources.of(account, LIBRARY_MEDIA).withDeleted();
  }
}

/** The video of a conversation card without a poster, which shows the first frame. */
function videoWithoutPoster({ kind, content }: Row<Card>): string[] {
  if (kind !== 'VIDEO_CONVERSATION') return [];
  const { media_key, poster_media_key } = content as ConversationContent;
  return poster_media_key === null ? [media_key] : [];
}

/** Narrows to one kind of card; other kinds are not found. */
export const ofKind =
  (kind: CardKind) =>
  (cards: Rows<Card>): Rows<Card> =>
    cards.where('kind', kind);
