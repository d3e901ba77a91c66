import {
  ImageConversationCardView,
  presentImageConversationCard,
  presentVideoConversationCard,
  VideoConversationCardView,
} from '../conversation-cards/conversation-card.presenter.js';
import {
  DynamicProductCardView,
  presentDynamicProductCard,
} from '../dynamic-product-cards/dynamic-product-card.presenter.js';
import { PollCardView, presentPollCard } from '../poll-cards/poll-card.presenter.js';
import type { CardKind } from '../entities/card.entity.js';
import { CardView, presentCard, type CardFieldsView, type CardWithMedia } from '../card-content/card.presenter.js';

/** The views of cards, one for each kind. */
export const ANY_CARD_VIEWS = [
  CardView,
  ImageConversationCardView,
  VideoConversationCardView,
  PollCardView,
  DynamicProductCardView,
];

const PRESENTERS: Record<CardKind, (seen: CardWithMedia) => CardFieldsView> = {
  COMPONENTS: presentCard,
  IMAGE_CONVERSATION: presentImageConversationCard,
  VIDEO_CONVERSATION: presentVideoConversationCard,
  POLL: presentPollCard,
  DYNAMIC_PRODUCTS: presentDynamicProductCard,
};

/** Presents a card with the view of its kind. */
export const presentAnyCard = (seen: CardWithMedia): CardFieldsView => PRESENTERS[seen.card.kind](seen);
