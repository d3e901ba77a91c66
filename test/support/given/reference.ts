import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { CuratedCategoriesService } from '../../../src/campaigns/reference/curated-categories/curated-categories.service.js';
import type { NewCuratedCategory } from '../../../src/campaigns/reference/curated-categories/curated-categories.dto.js';
import { PublishersService } from '../../../src/campaigns/reference/publishers/publishers.service.js';
import type { NewPublisher } from '../../../src/campaigns/reference/publishers/publishers.dto.js';
import { world } from '../app.js';
import { fresh } from './fresh.js';

/** Reference data that operators make; it is the same for every account. */
export const reference = {
  /** A new user who publishes. */
  async publisher(fields: Partial<Omit<NewPublisher, 'user_id'>> = {}) {
    const user = await world().get(UsersService).create(fresh('publisher'));
    const [publisher] = await world()
      .get(PublishersService)
      .create([{ ...fields, user_id: user.id }]);
    return { ...publisher, username: user.username };
  },

  async curatedCategory(fields: Partial<NewCuratedCategory> = {}) {
    const [category] = await world()
      .get(CuratedCategoriesService)
      .create([{ name: fresh('Category'), description: 'Of a test', country_codes: ['US'], ...fields }]);
    return category;
  },
};
