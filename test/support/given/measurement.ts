import type { CreateWebEventTag } from '../../../src/measurement/web-event-tags/web-event-tags.dto.js';
import { WebEventTagsService } from '../../../src/measurement/web-event-tags/web-event-tags.service.js';
import { world } from '../app.js';
import { fresh, type Some } from './fresh.js';

export const measurement = {
  /** A tag of purchases, unless something else is named. */
  webEventTag: ({ account, ...params }: Some<CreateWebEventTag>) =>
    world()
      .get(WebEventTagsService)
      .create(account, {
        name: fresh('Tag'),
        type: 'PURCHASE',
        click_window: 30,
        view_through_window: 1,
        retargeting_enabled: false,
        ...params,
      }),
};
