import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { FeaturesService } from '../../accounts/features/features.service.js';
import type { ChangedBy } from '../../accounts/change-log/change-log.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { allExist, exists, unchanged } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound, notAllowed } from '../../common/errors/catalogue.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { PageQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import type { SeenAudience } from './seen-audience.js';
import { AudiencePermission } from './audience-permission.entity.js';
import { CUSTOM, unknownAudience, type AudienceWords } from './audience-permission.resource.js';
import { OUTSIDE_BUSINESS, sharingProblems } from './audience-permission.rules.js';
import { grantedTo, permissionAllowsWrite } from './audience-permission.statements.js';
import type { GrantAudiencePermission } from './audience-permissions.dto.js';

/** The filters of a list of permissions, for both API versions. */
interface PermissionsQuery extends PageQuery<AudiencePermission> {
  granted_account_ids?: string[];
  custom_audience_permission_ids?: string[];
  tailored_audience_permission_ids?: string[];
}

/** An audience that an account may change. */
export interface WritableAudience extends SeenAudience {
  /** The author of the change: the account is the owner's, whose history records it, the user is the caller. */
  by: ChangedBy;
  /**
   * Preconditions of the changing statement besides the audience and its owner; empty if the account owns the audience.
   */
  required: Precondition[];
}

/** Audiences that an account may target. */
export interface UsableAudiences {
  audiences: ReadonlyMap<string, SeenAudience>;
  /**
   * Requires that the audiences still exist and are shared. The statement that refers to them must check it; otherwise
   * it is retried.
   */
  required: Precondition[];
}

/** The data for the rules of a grant. */
interface SharingContext {
  account: ActingAccount;
  problems: ApiError[];
}

/**
 * Finds the audiences that an account can see and its permissions on them, and shares its own audiences with others.
 */
@Injectable()
export class AudiencePermissionsService {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly features: FeaturesService,
  ) {}

  /** The permissions on an audience of the account. */
  async list(account: ActingAccount, audienceId: string, query: PermissionsQuery, words: AudienceWords) {
    await this.ownedBy(account, audienceId, words);
    const permissions = this.resources
      .of(account, words.permissions)
      .where('customAudienceId', audienceId)
      .whereIn('grantedAccountId', query.granted_account_ids)
      .whereIn('id', query.custom_audience_permission_ids ?? query.tailored_audience_permission_ids);
    return page(permissions, query);
  }

  /** Creates the permission of an account on an audience, or changes the existing one. */
  grant(account: ActingAccount, audienceId: string, request: Parsed<GrantAudiencePermission>, words: AudienceWords) {
    return this.resources.perform(account, this.granting(audienceId, words), request);
  }

  /** The other account no longer sees or targets the audience. Running campaigns continue. */
  async revoke(account: ActingAccount, audienceId: string, id: string, words: AudienceWords) {
    await this.ownedBy(account, audienceId, words);
    return this.resources.edit(
      account,
      words.permissions,
      (permissions) => permissions.where('customAudienceId', audienceId).where('id', id),
      (unitOfWork) => unitOfWork.delete(id),
      { lock: 'pessimistic_write' },
    );
  }

  /** The audiences that other accounts share with the account. */
  sharedWith(account: { id: string }): Rows<CustomAudience> {
    return grantedTo(rows(this.db.manager, CustomAudience), account.id);
  }

  /** The shared audiences and the account's own. */
  visibleTo(account: { id: string }, db = this.db.manager): Rows<CustomAudience> {
    return rows(db, CustomAudience).whereAny(
      (audiences) => audiences.where('accountId', account.id),
      (audiences) => grantedTo(audiences, account.id),
    );
  }

  /** Presents audiences to an account. One query reads all their permissions. */
  async seenBy(
    account: { id: string },
    audiences: Row<CustomAudience>[],
  ): Promise<(audience: Row<CustomAudience>) => SeenAudience> {
    const granted = await this.grantedOn(account, audiences);
    return (audience) => ({
      audience,
      granted: audience.accountId === account.id ? null : (granted.get(audience.id)?.permissionLevel ?? 'READ_ONLY'),
    });
  }

  /** An audience that the account owns: 404 if it sees none, 403 if another account owns it. */
  async ownedBy(account: { id: string }, id: string, words = CUSTOM, db?: EntityManager): Promise<Row<CustomAudience>> {
    const audience = await one(this.visibleTo(account, db), id, unknownAudience(words, account));
    if (audience.accountId === account.id) return audience;
    throw notAllowed(`${words.label} ${id} belongs to another account, and only that account may do this`, {
      parameter: words.parameter,
      value: id,
    });
  }

  /**
   * An audience whose name, description and users the account may change: its own, or one shared as READ_WRITE. 404 if
   * it sees none, 403 if it may only read.
   */
  async writableBy(account: ActingAccount, id: string): Promise<WritableAudience> {
    const unknown = () => unknownAudience(CUSTOM, account)(id);
    const audience = await one(this.visibleTo(account), id, unknown);
    if (audience.accountId === account.id) return { audience, granted: null, by: account, required: [] };

    const readOnly = () =>
      notAllowed(`${CUSTOM.label} ${id} is shared with Account ${account.id} as READ_ONLY`, {
        parameter: CUSTOM.parameter,
        value: id,
      });
    const permission = (await this.grantedOn(account, [audience])).get(id);
    if (!permission) throw unknown();
    if (permission.permissionLevel !== 'READ_WRITE') throw readOnly();
    return {
      audience,
      granted: permission.permissionLevel,
      by: { id: audience.accountId, userId: account.userId },
      required: [
        exists(Account, account.id, () => accountNotFound(account.id)),
        exists(AudiencePermission, permission.id, unknown),
        permissionAllowsWrite(permission.id, readOnly),
      ],
    };
  }

  /**
   * The given audiences that the account may target: its own, and those shared with it at any level. Call this while
   * planning the write that refers to them, and add `required` to it.
   */
  async usableBy(account: { id: string }, ids: readonly string[], db = this.db.manager): Promise<UsableAudiences> {
    const visible = ids.length > 0 ? await this.visibleTo(account, db).whereIn('id', ids).getMany() : [];
    const granted = await this.grantedOn(account, visible, db);
    const usable = visible.filter(({ id, accountId }) => accountId === account.id || granted.has(id));
    const again = () => new ConflictRetry();
    const permissions = [...granted.values()].map(({ id }) => id);
    return {
      audiences: new Map(
        usable.map((audience) => [
          audience.id,
          { audience, granted: granted.get(audience.id)?.permissionLevel ?? null },
        ]),
      ),
      required: [
        ...(usable.length > 0 ? [allExist(CustomAudience, idsOf(usable), again)] : []),
        ...(permissions.length > 0 ? [allExist(AudiencePermission, permissions, again)] : []),
      ],
    };
  }

  /** Validates a grant, and returns the rows that the validation used. */
  private async judge(account: ActingAccount, granteeId: string, db = this.db.manager) {
    const judged = await rows(db, Account).whereIn('id', [account.id, granteeId]).getMany();
    const owner = judged.find(({ id }) => id === account.id);
    if (!owner) throw accountNotFound(account.id);
    const grantee = judged.find(({ id }) => id === granteeId);
    const problems = sharingProblems(owner, granteeId, grantee, this.features.has(owner, OUTSIDE_BUSINESS));
    return { problems, judged };
  }

  /** The account's permissions on those of these audiences that others own, by audience. */
  private async grantedOn(
    account: { id: string },
    audiences: Row<CustomAudience>[],
    db = this.db.manager,
  ): Promise<ReadonlyMap<string, Row<AudiencePermission>>> {
    const foreign = idsOf(audiences.filter(({ accountId }) => accountId !== account.id));
    if (foreign.length === 0) return new Map();
    const permissions = await this.of(account, db).whereIn('customAudienceId', foreign).getMany();
    return new Map(permissions.map((each) => [each.customAudienceId, each]));
  }

  private granting(audienceId: string, words: AudienceWords) {
    return defineWrite<AudiencePermission, GrantAudiencePermission, SharingContext, Made<Row<AudiencePermission>>>(
      words.permissions,
      {
        target: 'granted_account_id',
        targetColumn: 'grantedAccountId',
        upserts: true,
        narrow: (permissions) => permissions.where('customAudienceId', audienceId),
        locking: ([request]) => ({ name: `permission of ${request.value('granted_account_id')} on ${audienceId}` }),
        context: async ({ account, unitOfWork, db }, [request]) => {
          await this.ownedBy(account, audienceId, words, db);
          const granteeId = request.value('granted_account_id');
          if (granteeId === undefined) return { account, problems: [] };
          const { problems, judged } = await this.judge(account, granteeId, db);
          // The rows were just read, so no cached copy needs invalidation.
          unitOfWork.require(unchanged(Account, judged, () => undefined));
          return { account, problems };
        },
        problems: (_, { problems }) => problems,
        apply: (unitOfWork, params, { account }, before?: Row<AudiencePermission>) => {
          const { granted_account_id: grantedAccountId, permission_level: permissionLevel } = params;
          if (before) return new Made(unitOfWork.update(before.id, { permissionLevel }), false);
          const created = { accountId: account.id, customAudienceId: audienceId, grantedAccountId, permissionLevel };
          return new Made(unitOfWork.create(created), true);
        },
      },
    );
  }

  private of(account: { id: string }, db = this.db.manager): Rows<AudiencePermission> {
    return rows(db, AudiencePermission).where('grantedAccountId', account.id);
  }
}

const idsOf = (audiences: Row<CustomAudience>[]) => audiences.map(({ id }) => id);
