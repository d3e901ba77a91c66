import type { AppEventOsType } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Engagement } from '../../measurement/entities/engagement.entity.js';
import { invalidAppId, invalidAppStore } from '../campaigns.errors.js';
import type { Campaign } from '../entities/campaign.entity.js';
import type { LineItem } from '../entities/line-item.entity.js';

/** The engagement that an event is attributed to, and the country of its user. */
export type AttributedEngagement = Row<Engagement> & { country: string | null };

/** What an event in an app is attributed to. */
export interface Attribution {
  engagement: AttributedEngagement;
  lineItem: Row<LineItem>;
  campaign: Row<Campaign>;
  /** Null if the line item shows something else than a post. */
  postId: string | null;
}

const FORMS: Record<AppEventOsType, RegExp> = {
  ANDROID: /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/,
  IOS: /^[1-9]\d{0,19}$/,
};

/** The identifier of an app has the form of its store. */
export function appProblem({
  app_id: app,
  os_type: os,
}: {
  app_id: string;
  os_type: AppEventOsType;
}): ApiError | undefined {
  if (FORMS[os].test(app)) return undefined;
  return Object.values(FORMS).some((form) => form.test(app)) ? invalidAppStore(os, app) : invalidAppId(app);
}
