import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Batch } from '../../common/batch/batch.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert } from '../../common/db/query/write.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { BatchResult } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import { CUSTOM_AUDIENCES, type AudienceType, type CustomAudience } from '../entities/custom-audience.entity.js';
import { leavesOf, normalisedSegments, type Segment } from '../entities/segments.js';
import {
  CUSTOM_AUDIENCE_OPERATIONS,
  MAX_BATCH_SIZE,
  type CreateAudienceOperation,
  type UpdateAudienceOperation,
} from './custom-audience-batch.dto.js';
import {
  immutable,
  isImmutable,
  leavesNamedBy,
  problemOfName,
  problemsOfLeaves,
  requireDeletable,
  rootOf,
  type GivenTree,
} from './flexible-audience.rules.js';

type Audience = Row<CustomAudience>;
type SentTree = Pick<CreateAudienceOperation, 'segments' | 'child_segments'>;

/** The parameters of a new audience. Only a flexible audience has a tree. */
interface NewAudience extends GivenTree {
  name: string;
  description?: string | null;
  audience_type: AudienceType;
}

/** The data for the rules of all operations. */
interface AudienceContext {
  account: ActingAccount;
  /** Validates the leaves of a tree. */
  problemsOf: (tree: GivenTree) => ApiError[];
  problemOf: (name: string | undefined, id?: string) => ApiError[];
  /** The audiences deleted by earlier operations. */
  deleted: Set<string>;
}

/** Creates, changes and deletes audiences in batches. */
@Injectable()
export class CustomAudienceBatchService {
  constructor(
    private readonly resources: Resources,
    private readonly access: AudienceAccessService,
  ) {}

  /** Performs up to 10 operations, all or none. */
  batch(account: ActingAccount, body: unknown): Promise<BatchResult<Row<CustomAudience>>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CUSTOM_AUDIENCE_OPERATIONS, { account_id: account.id });
    return this.resources.change(account, CUSTOM_AUDIENCES, batch, async (unit) => {
      const ids = [...batch.values('Update', 'custom_audience_id'), ...batch.values('Delete', 'custom_audience_id')];
      const leafIds = batch.requests('Create').flatMap(leafIdsOf);
      // Two batches that each delete the leaves of the other's tree would deadlock.
      if (batch.changesRows) await unit.lock([...ids, ...leafIds], { mode: 'pessimistic_write' });
      const context = await this.contextOf(unit, leafIds);
      return unit.each(batch, {
        Create: (request) => createAudience(unit, request, context),
        Update: (request) => updateAudience(unit, request, context),
        Delete: (request) => {
          const audience = unit.find(request.required('custom_audience_id'));
          requireDeletable(audience);
          const { id } = audience;
          context.deleted.add(id);
          return unit.delete(id);
        },
      });
    });
  }

  private async contextOf(unit: UnitOfWork<CustomAudience>, leafIds: readonly string[]): Promise<AudienceContext> {
    const { account, db } = unit;
    const usable = await this.access.usableBy(account, [...new Set(leafIds)], db);
    unit.require(...usable.required);
    const deleted = new Set<string>();
    const audienceOf = (id: string) => (deleted.has(id) ? undefined : usable.audiences.get(id)?.audience);
    return {
      account,
      problemsOf: (tree) => problemsOfLeaves(tree, audienceOf, account.id),
      problemOf: (name, id) => problemOfName(name, unit.stored.values(), { id, gone: deleted }),
      deleted,
    };
  }
}

function createAudience(
  unit: UnitOfWork<CustomAudience>,
  request: Parsed<CreateAudienceOperation>,
  { account, problemsOf, problemOf }: AudienceContext,
): Audience {
  const tree = request.known('segments', 'child_segments');
  const isTree = !request.isComplete || request.params.audience_type === 'FLEXIBLE';
  const problems = tree && isTree ? problemsOf(tree) : [];
  const params = request.paramsUnless(problems.length > 0 ? problems : problemOf(request.value('name')));
  const audience = unit.create(newAudience(account, params));
  if (audience.segments) addFirstCount(unit, account, audience, audience.segments);
  return audience;
}

function updateAudience(
  unit: UnitOfWork<CustomAudience>,
  request: Parsed<UpdateAudienceOperation>,
  { problemOf }: AudienceContext,
): Audience {
  const audience = unit.find(request.required('custom_audience_id'));
  const problems = isImmutable(audience) ? [immutable(audience)] : problemOf(request.value('name'), audience.id);
  const { name, description } = request.paramsUnless(problems);
  return unit.update(audience.id, { name, description });
}

function leafIdsOf(request: Parsed<SentTree>): string[] {
  const segments = request.value('segments');
  const child_segments = request.value('child_segments');
  const leaves = [
    ...(segments ? leavesNamedBy({ segments }) : []),
    ...(child_segments ? leavesNamedBy({ child_segments }) : []),
  ];
  return leaves.map(({ id }) => id.toLowerCase());
}

/** The fields of a new audience. */
export const newAudience = (account: ActingAccount, params: NewAudience) => ({
  accountId: account.id,
  name: params.name,
  description: params.description || null,
  audienceType: params.audience_type,
  partnerSource: 'OTHER',
  reasonsNotTargetable: ['PROCESSING' as const, 'TOO_SMALL' as const],
  audienceSize: null,
  segments: params.audience_type === 'FLEXIBLE' ? normalisedSegments(rootOf(params)) : null,
});

/** Queues a count of a new flexible audience, repeated whenever its leaves are counted. */
const addFirstCount = (
  unit: UnitOfWork<CustomAudience>,
  account: ActingAccount,
  { id }: Audience,
  segments: Segment,
): void =>
  unit.addWrite(
    insert(AudienceSizing, [
      {
        audienceId: id,
        kind: 'CUSTOM_AUDIENCE',
        accountId: account.id,
        userId: account.userId,
        dueAt: unit.now.toISOString(),
        waitingSince: null,
        generation: 0,
        countedUntil: null,
        matchedTo: null,
        madeOf: [...new Set(leavesOf(segments).map((leaf) => leaf.custom_audience_id))],
      },
    ]),
  );
