import type { INestApplicationContext } from '@nestjs/common';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { WebEventTagsService } from '../measurement/web-event-tags/web-event-tags.service.js';

/** A tag of the website, and one to delete. */
export async function makeMeasurement(
  app: INestApplicationContext,
  account: ActingAccount,
): Promise<Record<string, string>> {
  const tags = app.get(WebEventTagsService);
  const windows = { click_window: 30, view_through_window: 1, retargeting_enabled: false };
  const { id: web_event_tag_id } = await tags.create(account, { name: 'Bought coffee', type: 'PURCHASE', ...windows });
  const { id: spare } = await tags.create(account, { name: 'Read the menu', type: 'CONTENT_VIEW', ...windows });
  return { web_event_tag_id, spare_web_event_tag_id: spare };
}
