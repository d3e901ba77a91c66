import { featureNotAvailable } from '../../accounts/accounts.errors.js';
import type { Feature } from '../../accounts/accounts.features.js';
import type { NewFields } from '../../accounts/resources/unit-of-work.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { Parsed } from '../../common/http/parsed.js';
import type { PollContent } from '../card-content/card-content.js';
import { MEDIA_NEEDS, mediaProblems, type Library } from '../card-content/card-media.rules.js';
import type { Card } from '../entities/card.entity.js';
import type { CreatePollCard } from './poll-cards.dto.js';

interface Owner {
  id: string;
  features: readonly string[];
}

const FEATURE: Feature = 'PROMOTED_MEDIA_POLLS';

/** A new poll of these parameters, which begins now, or everything that is wrong with them. */
export function newPollCard(owner: Owner, params: CreatePollCard, library: Library, now: Date): NewFields<Card> {
  refuseAny(problemsOfNewPoll(owner, Parsed.whole(params), library));
  const { duration_in_minutes } = params;
  const mediaKey = params.media_key || null;
  const choices = [params.first_choice, params.second_choice, params.third_choice, params.fourth_choice];
  const content: PollContent = {
    choices: choices.flatMap((choice) => choice || []),
    duration_in_minutes,
    media_key: mediaKey,
  };
  return {
    accountId: owner.id,
    kind: 'POLL',
    cardType: mediaKey === null ? 'TEXT_POLLS' : mediaKey.startsWith('3_') ? 'IMAGE_POLLS' : 'VIDEO_POLLS',
    name: params.name,
    content,
    mediaKeys: mediaKey === null ? [] : [mediaKey],
    endsAt: new Date(now.getTime() + duration_in_minutes * 60_000).toISOString(),
  };
}

/** Media take a feature; what is wrong with them is told besides. */
export function problemsOfNewPoll(owner: Owner, parsed: Parsed<CreatePollCard>, library: Library): ApiError[] {
  const mediaKey = parsed.known('media_key')?.media_key;
  if (!mediaKey) return [];
  const named = [{ parameter: 'media_key', mediaKey, need: MEDIA_NEEDS.POLL }];
  const refused = owner.features.includes(FEATURE) ? [] : [featureNotAvailable(FEATURE, 'media_key')];
  return [...refused, ...mediaProblems(owner, named, library)];
}
