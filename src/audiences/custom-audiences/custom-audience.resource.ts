import { defineResource } from '../../accounts/resources/resource-definition.js';
import { deleteWith } from '../../common/db/query/write.js';
import { AudiencePermission } from '../audience-permissions/audience-permission.entity.js';
import { queueRemovals } from '../removals/audience-removals.statements.js';
import { CustomAudience, ONE_NAME } from '../entities/custom-audience.entity.js';
import { presentOwnAudience } from './custom-audience.presenter.js';
import { nameInUse } from './flexible-audience.rules.js';

/**
 * Deleting an audience revokes its permissions and queues the removal of its people. Campaigns that target it continue.
 */
export const CUSTOM_AUDIENCES = defineResource<CustomAudience>({
  entity: CustomAudience,
  name: 'CUSTOM_AUDIENCE',
  label: 'Custom Audience',
  parameter: 'custom_audience_id',
  snapshot: presentOwnAudience,
  uniques: [
    {
      index: ONE_NAME,
      columns: ['name'],
      refusal: ({ name }) => nameInUse(name),
    },
  ],
  deletedWith: (ids, at) => [deleteWith(AudiencePermission, 'customAudienceId', ids, at), queueRemovals(ids, at)],
});
