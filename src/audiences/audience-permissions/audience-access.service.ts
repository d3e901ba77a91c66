import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import type { TimedAuthor } from '../../accounts/change-log/change-log.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { allStillExist, exists } from '../../common/db/query/preconditions.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { accountNotFound, notAllowed } from '../../common/errors/catalogue.js';
import { one } from '../../common/list/one.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import { AudiencePermission, type SeenAudience } from './audience-permission.entity.js';
import { CUSTOM, unknownAudience } from './audience-words.js';
import { grantedTo, permissionAllowsWrite } from './audience-permission.statements.js';

/** An audience that an account may change. */
export interface WritableAudience extends SeenAudience {
  /** The author of the change: the account is the owner's, whose history records it, the user is the caller. */
  by: TimedAuthor;
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

/** Finds the audiences that an account may see, target, change or share. */
@Injectable()
export class AudienceAccessService {
  constructor(private readonly times: AccountTimes) {}

  /** The audiences that other accounts share with the account. */
  sharedWith(account: AccountReader): Rows<CustomAudience> {
    return grantedTo(rows(account.db, CustomAudience).readBy(account).ofAllAccounts(), account.id);
  }

  /** The shared audiences and the account's own. */
  visibleTo(account: AccountReader, db: EntityManager = account.db): Rows<CustomAudience> {
    const audiences = rows(db, CustomAudience).readBy(account).ofAllAccounts();
    return audiences.whereAny(
      (audiences) => audiences.where('accountId', account.id),
      (audiences) => grantedTo(audiences, account.id),
    );
  }

  /** Presents audiences to an account. One query reads all their permissions. */
  async seenBy(
    account: AccountReader,
    audiences: Row<CustomAudience>[],
  ): Promise<(audience: Row<CustomAudience>) => SeenAudience> {
    const granted = await this.grantedOn(account, audiences);
    return (audience) => ({
      audience,
      granted: audience.accountId === account.id ? null : (granted.get(audience.id)?.permissionLevel ?? 'READ_ONLY'),
    });
  }

  /** An audience that the account owns: 404 if it sees none, 403 if another account owns it. */
  async ownedBy(account: AccountReader, id: string, words = CUSTOM, db?: EntityManager): Promise<Row<CustomAudience>> {
    const audience = await one(this.visibleTo(account, db), id, unknownAudience(words, account));
    if (audience.accountId === account.id) return audience;
    throw notAllowed(`${words.label} ${id} belongs to another account, and only that account may do this`, {
      parameter: words.parameter,
      value: id,
    });
  }

  /**
   * An audience whose name, description and users the account may change: its own, or one shared as READ_WRITE. 404 if
   * it sees none, 403 if it may only read, 409 while the test clock of its owner advances. The change has the time of the owner.
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
    const times = await this.times.ofChanged(audience.accountId, account.db);
    return {
      audience,
      granted: permission.permissionLevel,
      by: { id: audience.accountId, userId: account.userId, db: account.db, now: () => times.now() },
      required: [
        exists(Account, account, () => accountNotFound(account.id)),
        exists(AudiencePermission, permission, unknown),
        permissionAllowsWrite(permission.id, readOnly),
      ],
    };
  }

  /**
   * The given audiences that the account may target: its own, and those shared with it at any level. Call this while
   * planning the write that refers to them, and add `required` to it.
   */
  async usableBy(
    account: AccountReader,
    ids: readonly string[],
    db: EntityManager = account.db,
  ): Promise<UsableAudiences> {
    const visible = ids.length > 0 ? await this.visibleTo(account, db).whereIn('id', ids).getMany() : [];
    const granted = await this.grantedOn(account, visible, db);
    const usable = visible.filter(({ id, accountId }) => accountId === account.id || granted.has(id));
    return {
      audiences: new Map(
        usable.map((audience) => [
          audience.id,
          { audience, granted: granted.get(audience.id)?.permissionLevel ?? null },
        ]),
      ),
      required: [...allStillExist(CustomAudience, usable), ...allStillExist(AudiencePermission, granted.values())],
    };
  }

  /** The account's permissions on those of these audiences that others own, by audience. */
  private async grantedOn(
    account: AccountReader,
    audiences: Row<CustomAudience>[],
    db: EntityManager = account.db,
  ): Promise<ReadonlyMap<string, Row<AudiencePermission>>> {
    const foreign = new Map(
      audiences.filter(({ accountId }) => accountId !== account.id).map((each) => [each.id, each]),
    );
    if (foreign.size === 0) return new Map();
    const permissions = await rows(db, AudiencePermission)
      .where('grantedAccountId', account.id)
      .whereIn('customAudienceId', [...foreign.keys()])
      .getMany();
    const isOfOwner = (each: Row<AudiencePermission>) =>
      foreign.get(each.customAudienceId)?.accountId === each.accountId;
    return new Map(permissions.filter(isOfOwner).map((each) => [each.customAudienceId, each]));
  }
}
