import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import { type BatchResult } from '../../common/http/batch-result.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert } from '../../common/db/query/write.js';
import { refuseAny } from '../../common/errors/api-error.js';
import { AudiencePermissionsService } from '../audience-permissions/audience-permissions.service.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import {
  CUSTOM_AUDIENCE_OPERATIONS,
  MAX_BATCH_SIZE,
  type CreateAudienceOperation,
} from './custom-audience-batch.dto.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
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
import { leavesOf, normalised, type Segment } from '../entities/segments.js';

type Audience = Row<CustomAudience>;

@Injectable()
export class CustomAudienceBatchService {
  constructor(
    private readonly resources: Resources,
    private readonly permissions: AudiencePermissionsService,
  ) {}

  /** Up to 10 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<Audience>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CUSTOM_AUDIENCE_OPERATIONS, { account_id: account.id });
    const changed = [...batch.values('Update', 'custom_audience_id'), ...batch.values('Delete', 'custom_audience_id')];
    const segments = batch.values('Create', 'segments').flatMap((root) => leavesNamedBy({ segments: root }));
    const child_segments = batch.values('Create', 'child_segments').flat();
    const leaves = [...segments, ...leavesNamedBy({ child_segments })].map(({ id }) => id.toLowerCase());
    // two batches that each delete what the other one's tree is made of would wait for one another
    const ids = changed.length > 0 ? [...changed, ...leaves] : [];

    return this.resources.batch(account, CUSTOM_AUDIENCES, batch, ids, async (unitOfWork, db) => {
      const usable = await this.permissions.usableBy(account, [...new Set(leaves)], db);
      unitOfWork.require(...usable.required);
      const gone = new Set<string>();
      const problemsOf = (tree: GivenTree) =>
        problemsOfLeaves(tree, (id) => (gone.has(id) ? undefined : usable.audiences.get(id)?.audience), account.id);
      const checkName = (name: string | undefined, id?: string) =>
        refuseAny(problemOfName(name, unitOfWork.stored.values(), { id, gone }));
      return {
        steps: {
          Create: (params) => {
            refuseAny(params.audience_type === 'FLEXIBLE' ? problemsOf(params) : []);
            checkName(params.name);
            const audience = unitOfWork.create(newAudience(account, params));
            if (audience.segments)
              unitOfWork.addWrite(firstCount(account, audience, audience.segments, unitOfWork.now));
            return audience;
          },
          Update: (params) => {
            const { custom_audience_id: id, name, description } = params;
            if (isImmutable(unitOfWork.find(id))) throw immutable(id);
            checkName(name, id);
            return unitOfWork.update(id, { name, description });
          },
          Delete: ({ custom_audience_id: id }) => {
            const deleted = unitOfWork.delete(id);
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
            return id !== undefined && isImmutable(unitOfWork.find(id)) ? [immutable(id)] : [];
          },
        },
      };
    });
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

/** Has the people of a new flexible audience counted, and again whenever those of its leaves were. */
const firstCount = (account: ActingAccount, { id }: Audience, segments: Segment, now: Date) =>
  insert(AudienceSizing, [
    {
      audienceId: id,
      kind: 'CUSTOM_AUDIENCE',
      accountId: account.id,
      userId: account.userId,
      dueAt: now.toISOString(),
      waitingSince: null,
      generation: 0,
      countedUntil: null,
      matchedTo: null,
      madeOf: [...new Set(leavesOf(segments).map((leaf) => leaf.custom_audience_id))],
    },
  ]);
