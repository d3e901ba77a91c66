import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert } from '../../common/db/query/write.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import type {
  CreateAudienceOperation,
  DeleteAudienceOperation,
  UpdateAudienceOperation,
} from './custom-audience-batch.dto.js';
import type { AudienceType, CustomAudience } from '../entities/custom-audience.entity.js';
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
type SentAudience = Partial<
  Pick<CreateAudienceOperation, 'segments' | 'child_segments'> & Pick<UpdateAudienceOperation, 'custom_audience_id'>
>;

/** The parameters of a new audience. Only a flexible audience has a tree. */
interface NewAudience extends GivenTree {
  name: string;
  description?: string | null;
  audience_type: AudienceType;
}

/** The data for the rules of all operations. */
interface Context {
  account: ActingAccount;
  /** Validates the leaves of a tree. */
  problemsOf: (tree: GivenTree) => ApiError[];
  problemOf: (name: string | undefined, id?: string) => ApiError[];
  /** The audiences deleted by earlier operations. */
  deleted: Set<string>;
}

/** Defines how the operations of a batch create, change and delete audiences. */
@Injectable()
export class CustomAudienceWrites {
  constructor(private readonly access: AudienceAccessService) {}

  private readonly context = async (
    { account, unitOfWork, db }: WriteScope<CustomAudience>,
    requests: readonly Parsed<SentAudience>[],
  ): Promise<Context> => {
    const usable = await this.access.usableBy(account, [...new Set(requests.flatMap(leafIdsOf))], db);
    unitOfWork.require(...usable.required);
    const deleted = new Set<string>();
    const audienceOf = (id: string) => (deleted.has(id) ? undefined : usable.audiences.get(id)?.audience);
    return {
      account,
      problemsOf: (tree) => problemsOfLeaves(tree, audienceOf, account.id),
      problemOf: (name, id) => problemOfName(name, unitOfWork.stored.values(), { id, gone: deleted }),
      deleted,
    };
  };

  private readonly create = defineWrite<CustomAudience, CreateAudienceOperation, Context>(CUSTOM_AUDIENCES, {
    context: this.context,
    // Two batches that each delete the leaves of the other's tree would deadlock.
    alsoLocks: leafIdsOf,
    problems: (request, { problemsOf, problemOf }) => {
      const tree = request.known('segments', 'child_segments');
      const isTree = !request.isWhole || request.params.audience_type === 'FLEXIBLE';
      const problems = tree && isTree ? problemsOf(tree) : [];
      return problems.length > 0 ? problems : problemOf(request.value('name'));
    },
    apply: (unitOfWork, params, { account }) => {
      const audience = unitOfWork.create(newAudience(account, params));
      if (audience.segments) addFirstCount(unitOfWork, account, audience, audience.segments);
      return audience;
    },
  });

  private readonly update = defineWrite<CustomAudience, UpdateAudienceOperation, Context>(CUSTOM_AUDIENCES, {
    target: 'custom_audience_id',
    context: this.context,
    problems: (request, { problemOf }, audience) =>
      isImmutable(audience) ? [immutable(audience.id)] : problemOf(request.value('name'), audience.id),
    apply: (unitOfWork, { name, description }, _, { id }) => unitOfWork.update(id, { name, description }),
  });

  private readonly delete = defineWrite<CustomAudience, DeleteAudienceOperation, Context>(CUSTOM_AUDIENCES, {
    target: 'custom_audience_id',
    context: this.context,
    apply: (unitOfWork, _, { deleted }, { id }) => {
      deleted.add(id);
      return unitOfWork.delete(id);
    },
  });

  /** The writes of a batch, by operation type. */
  readonly batch = { Create: this.create, Update: this.update, Delete: this.delete };
}

function leafIdsOf(request: Parsed<SentAudience>): string[] {
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
  segments: params.audience_type === 'FLEXIBLE' ? normalised(rootOf(params)) : null,
});

/** Queues a count of a new flexible audience, repeated whenever its leaves are counted. */
const addFirstCount = (
  unitOfWork: UnitOfWork<CustomAudience>,
  account: ActingAccount,
  { id }: Audience,
  segments: Segment,
): void =>
  unitOfWork.addWrite(
    insert(AudienceSizing, [
      {
        audienceId: id,
        kind: 'CUSTOM_AUDIENCE',
        accountId: account.id,
        userId: account.userId,
        dueAt: unitOfWork.now.toISOString(),
        waitingSince: null,
        generation: 0,
        countedUntil: null,
        matchedTo: null,
        madeOf: [...new Set(leavesOf(segments).map((leaf) => leaf.custom_audience_id))],
      },
    ]),
  );
