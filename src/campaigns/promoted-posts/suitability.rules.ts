import type { CardType } from '../../creatives/entities/card.entity.js';
import type { MediaType } from '../../creatives/entities/media.entity.js';
import type { Objective } from '../entities/line-item.tables.js';

/** The attachments of a post and the number of its links. */
export interface Shows {
  /** The card replaces media; null if there is none. */
  cardType: CardType | null;
  mediaTypes: readonly MediaType[];
  /** Number of links in the text. */
  links: number;
}

/** The properties of a card that matter to objectives: its destination, and whether it contains video. */
interface CardTraits {
  leadsTo: 'APP' | 'WEBSITE' | null;
  hasVideo: boolean;
}

const card = (leadsTo: CardTraits['leadsTo'], hasVideo: boolean): CardTraits => ({ leadsTo, hasVideo });

export const CARD_TRAITS: Record<CardType, CardTraits> = {
  IMAGE_APP: card('APP', false),
  IMAGE_CAROUSEL_APP: card('APP', false),
  IMAGE_CAROUSEL_WEBSITE: card('WEBSITE', false),
  IMAGE_MULTI_DEST_CAROUSEL_WEBSITE: card('WEBSITE', false),
  IMAGE_WEBSITE: card('WEBSITE', false),
  MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE: card('WEBSITE', true),
  MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP: card('APP', true),
  MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE: card('WEBSITE', true),
  VIDEO_APP: card('APP', true),
  VIDEO_CAROUSEL_APP: card('APP', true),
  VIDEO_CAROUSEL_WEBSITE: card('WEBSITE', true),
  VIDEO_MULTI_DEST_CAROUSEL_WEBSITE: card('WEBSITE', true),
  VIDEO_WEBSITE: card('WEBSITE', true),
  IMAGE_CONVERSATION: card(null, false),
  VIDEO_CONVERSATION: card(null, true),
  TEXT_POLLS: card(null, false),
  IMAGE_POLLS: card(null, false),
  VIDEO_POLLS: card(null, true),
  DYNAMIC_PRODUCTS: card('WEBSITE', false),
};

interface Requirement {
  /** The requirement, as the error message states it. */
  needs: string;
  isMet: (shows: Shows) => boolean;
}

const leadsTo = (place: 'APP' | 'WEBSITE', { cardType }: Shows): boolean =>
  cardType !== null && CARD_TRAITS[cardType].leadsTo === place;

/** Whether it moves: a video, a GIF or a card with a video. */
export const moves = ({ cardType, mediaTypes }: Omit<Shows, 'links'>): boolean =>
  cardType !== null ? CARD_TRAITS[cardType].hasVideo : mediaTypes.some((type) => type !== 'IMAGE');

const APP_CARD: Requirement = {
  needs: 'an image or video app card',
  isMet: (shows) => leadsTo('APP', shows),
};

/** The content that a post requires for each objective; null if any content is allowed. */
const REQUIREMENTS: Record<Objective, Requirement | null> = {
  APP_ENGAGEMENTS: APP_CARD,
  APP_INSTALLS: APP_CARD,
  REACH: null,
  FOLLOWERS: null,
  ENGAGEMENTS: null,
  VIDEO_VIEWS: { needs: 'a video, a GIF or a card with a video', isMet: moves },
  PREROLL_VIEWS: { needs: 'a video, through a media creative', isMet: moves },
  WEBSITE_CLICKS: {
    needs: 'a website card or a link, and not both',
    isMet: (shows) => leadsTo('WEBSITE', shows) !== shows.links > 0,
  },
};

/** The reason why a post cannot be promoted for an objective: the requirement and the post's content. */
export function unsuitability(objective: Objective, shows: Shows): { needs: string; has: string } | undefined {
  const requirement = REQUIREMENTS[objective];
  return !requirement || requirement.isMet(shows) ? undefined : { needs: requirement.needs, has: described(shows) };
}

function described({ cardType, mediaTypes, links }: Shows): string {
  const parts = [
    ...(cardType === null ? [] : [`a card of type ${cardType}`]),
    ...(mediaTypes.length === 0 ? [] : [`media of type ${[...new Set(mediaTypes)].join(', ')}`]),
    ...(links === 0 ? [] : [links === 1 ? 'a link' : `${links} links`]),
  ];
  return parts.length === 0 ? 'it has only text' : `it has ${parts.join(' and ')}`;
}
