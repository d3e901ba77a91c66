import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Edits } from '../../accounts/resources/edits.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch, type BatchResult } from '../../common/batch/batch.js';
import { allExist } from '../../common/db/query/preconditions.js';
import { StaleReference } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { refuseAny } from '../../common/errors/api-error.js';
import { AudiencePermission } from '../audience-permissions/audience-permission.entity.js';
import {
  CUSTOM_AUDIENCE_OPERATIONS,
  LARGEST_BATCH,
  type CreateAudienceOperation,
} from './custom-audience-batch.dto.js';
import { CustomAudience } from './custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from './custom-audience.resource.js';
import {
  immutable,
  isImmutable,
  leavesNamedBy,
  problemOfName,
  problemsOfLeaves,
  rootOf,
  type GivenTree,
} from './flexible-audience.rules.js';
import { normalised } from './segments.js';

type Audience = Row<CustomAudience>;

@Injectable()
export class CustomAudienceBatchService {
  constructor(private readonly resources: Resources) {}

  /** Part 1, 4.8: up to 10 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<Audience>> {
    const batch = Batch.read(body, LARGEST_BATCH, CUSTOM_AUDIENCE_OPERATIONS, { account_id: account.id });
    const changed = [...batch.values('Update', 'custom_audience_id'), ...batch.values('Delete', 'custom_audience_id')];
    const segments = batch.values('Create', 'segments').flatMap((root) => leavesNamedBy({ segments: root }));
    const child_segments = batch.values('Create', 'child_segments').flat();
    const leaves = [...segments, ...leavesNamedBy({ child_segments })].map(({ id }) => id.toLowerCase());
    // two batches that each delete what the other one's tree is made of would wait for one another
    const ids = changed.length > 0 ? [...changed, ...leaves] : [];

    return this.resources.batch(account, CUSTOM_AUDIENCES, batch, ids, async (edits, db) => {
      const usable = await this.usableBy(account, leaves, edits, db);
      const gone = new Set<string>();
      const problemsOf = (tree: GivenTree) =>
        problemsOfLeaves(tree, (id) => (gone.has(id) ? undefined : usable.get(id)), account.id);
      const checkName = (name: string | undefined, id?: string) =>
        refuseAny(problemOfName(name, edits.stored.values(), { id, gone }));
      return {
        steps: {
          Create: (params) => {
            refuseAny(params.audience_type === 'FLEXIBLE' ? problemsOf(params) : []);
            checkName(params.name);
            return edits.create(newAudience(account, params));
          },
          Update: (params) => {
            const { custom_audience_id: id, name, description } = params;
            if (isImmutable(edits.find(id))) throw immutable(id);
            checkName(name, id);
            return edits.update(id, { name, description });
          },
          Delete: ({ custom_audience_id: id }) => {
            const deleted = edits.delete(id);
            gone.add(id);
            return deleted;
          },
        },
        checks: {
          Create: (parsed) => {
            const known = parsed.known('segments', 'child_segments');
            return known ? problemsOf(known) : [];
          },
          Update: (parsed) => {
            const id = parsed.known('custom_audience_id')?.custom_audience_id;
            return id !== undefined && isImmutable(edits.find(id)) ? [immutable(id)] : [];
          },
        },
      };
    });
  }

  /** Of these audiences those that the account owns or was granted, which have to be so still where a tree is stored. */
  private async usableBy(
    account: ActingAccount,
    ids: string[],
    edits: Edits<CustomAudience>,
    db: EntityManager,
  ): Promise<Map<string, Audience>> {
    if (ids.length === 0) return new Map();
    const named = await rows(db, CustomAudience)
      .among('id', [...new Set(ids)])
      .all();
    const foreign = named.filter(({ accountId }) => accountId !== account.id).map(({ id }) => id);
    const granted =
      foreign.length === 0
        ? []
        : await rows(db, AudiencePermission)
            .is('grantedAccountId', account.id)
            .among('customAudienceId', foreign)
            .all();
    const permitted = new Set(granted.map(({ customAudienceId }) => customAudienceId));
    const usable = named.filter(({ id, accountId }) => accountId === account.id || permitted.has(id));
    const again = () => new StaleReference();
    if (usable.length > 0)
      edits.require(
        allExist(
          CustomAudience,
          usable.map(({ id }) => id),
          again,
        ),
      );
    if (granted.length > 0)
      edits.require(
        allExist(
          AudiencePermission,
          granted.map(({ id }) => id),
          again,
        ),
      );
    return new Map(usable.map((audience) => [audience.id, audience]));
  }
}

const newAudience = (account: ActingAccount, params: CreateAudienceOperation) => ({
  accountId: account.id,
  name: params.name,
  description: params.description || null,
  audienceType: params.audience_type,
  partnerSource: 'OTHER',
  reasonsNotTargetable: ['PROCESSING' as const, 'TOO_SMALL' as const],
  audienceSize: null,
  segments: params.audience_type === 'FLEXIBLE' ? normalised(rootOf(params)) : null,
});
