import { softDeleteWhere } from '../../common/db/query/write.js';
import { defineResource, alsoDelete, recordAs, type ResourceDefinition } from '../../accounts/resource-definition.js';
import { exists } from '../../common/db/query/preconditions.js';
import { notFound } from '../../common/errors/catalogue.js';
import { CUSTOM_AUDIENCES, CustomAudience } from '../entities/custom-audience.entity.js';
import { AudiencePermission } from './audience-permission.entity.js';
import { CustomAudiencePermissionView, presentCustomPermission } from './audience-permission.presenter.js';

/** The names of audiences and their permissions in a version of the API; the rows are the same. */
export interface AudienceWords {
  /** The label of an audience, and the parameter that identifies it. */
  label: string;
  parameter: string;
  permissions: ResourceDefinition<AudiencePermission>;
}

/** The 404 error for an audience that the account cannot see. */
export const unknownAudience =
  ({ label, parameter }: AudienceWords, account: { id: string }) =>
  (id: string) =>
    notFound(label, parameter, id, account.id);

function wordsFor(label: string, kind: 'custom' | 'tailored'): AudienceWords {
  const words: AudienceWords = {
    label,
    parameter: `${kind}_audience_id`,
    permissions: defineResource<AudiencePermission>({
      entity: AudiencePermission,
      name: 'AUDIENCE_PERMISSION',
      label: `${label} Permission`,
      parameter: `${kind}_audience_permission_id`,
      parents: ({ accountId, customAudienceId: id }) => [
        exists(CustomAudience, { accountId, id }, () => unknownAudience(words, { id: accountId })(id)),
      ],
    }),
  };
  recordAs(words.permissions, CustomAudiencePermissionView, presentCustomPermission);
  return words;
}

/** Version 12. */
export const CUSTOM = wordsFor('Custom Audience', 'custom');
/** Version 5. */
export const TAILORED = wordsFor('Tailored Audience', 'tailored');

alsoDelete(CUSTOM_AUDIENCES, (ids, at) => [softDeleteWhere(AudiencePermission, 'customAudienceId', ids, at)]);
