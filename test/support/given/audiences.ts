import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';
import type { CreateCustomAudience } from '../../../src/audiences/custom-audiences/custom-audiences.dto.js';
import { world } from '../app.js';
import { fresh, type Some } from './fresh.js';

export const audiences = {
  /** An audience that nobody is in yet. */
  customAudience: ({ account, name = fresh('Audience'), ...params }: Some<CreateCustomAudience>) =>
    world()
      .get(CustomAudiencesService)
      .create(account, { name, ...params }),
};
