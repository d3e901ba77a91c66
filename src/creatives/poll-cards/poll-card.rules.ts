import { featureNotAvailable } from '../../accounts/accounts.errors.js';
import type { Feature } from '../../accounts/accounts.features.js';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { PollContent } from '../card-content/card-content.js';
import { MEDIA_NEEDS, mediaProblems, type CardContext } from '../card-content/card-media.rules.js';
import type { Card } from '../entities/card.entity.js';
import type { CreatePollCard } from './poll-cards.dto.js';

interface Owner {
  id: string;
  features: readonly string[];
}

const FEATURE: Feature = 'PROMOTED_MEDIA_POLLS';

/** Builds a new poll that starts now. */
export function newPollCard(account: { id: string }, params: CreatePollCard, now: Date): NewColumns<Card> {
  const { duration_in_minutes } = params;
  const mediaKey = params.media_key || null;
  const choices = [params.first_choice, params.second_choice, params.third_choice, params.fourth_choice];
  const content: PollContent = {
    choices: choices.flatMap((choice) => choice || []),
    duration_in_minutes,
    media_key: mediaKey,
  };
  return {
    accountId: account.id,
    kind: 'POLL',
    cardType: mediaKey === null ? 'TEXT_POLLS' : mediaKey.startsWith('3_') ? 'IMAGE_POLLS' : 'VIDEO_POLLS',
    name: params.name,
    content,
    mediaKeys: mediaKey === null ? [] : [mediaKey],
    endsAt: new Date(now.getTime() + duration_in_minutes * 60_000).toISOString(),
  };
}

/** Media require a feature. Problems with the media are reported in addition. */
export function problemsOfNewPoll(
  request: Parsed<CreatePollCard>,
  { account, library }: CardContext<Owner>,
): ApiError[] {
  const mediaKey = request.value('media_key');
  if (!mediaKey) return [];
  const named = [{ parameter: 'media_key', mediaKey, need: MEDIA_NEEDS.POLL }];
  const refused = account.features.includes(FEATURE) ? [] : [featureNotAvailable(FEATURE, 'media_key')];
  return [...refused, ...mediaProblems(account, named, library)];
}
