import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Batch, type Handlers } from '../../common/batch/batch.js';
import { Clock } from '../../common/clock.js';
import { invalidTimeWindow, notAllowed } from '../../common/errors/catalogue.js';
import { one } from '../../common/list/one.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from '../custom-audiences/custom-audience.resource.js';
import { IDENTIFIER_KINDS } from '../entities/audience-identifier.entity.js';
import { USER_OPERATIONS, type UpdateAudienceUsers } from './audience-users.dto.js';
import type { AudienceDiagnosticsView } from './audience-users.presenter.js';
import { AudienceUsersService } from './audience-users.service.js';
import { timeOf, windowOf, countsOf, type UploadCounts, type UserOperation } from './upload.js';
import { AudienceSizes } from '../audience-sizes/audience-sizes.service.js';
import { countMembers } from '../audience-sizes/audience-sizings.statements.js';
import { MAX_OPERATIONS } from './upload-size.js';

/** Uploads and diagnoses the users of custom audiences. */
@Injectable()
export class CustomAudienceUsersService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AudienceAccessService,
    private readonly users: AudienceUsersService,
    private readonly sizes: AudienceSizes,
  ) {}

  /** Performs up to 2,500 operations in order, all or none. */
  async upload(account: ActingAccount, audienceId: string, body: unknown): Promise<UploadCounts> {
    const { audience, required } = await this.access.writableBy(account, audienceId);
    if (audience.audienceType === 'FLEXIBLE')
      throw notAllowed('A flexible audience consists of other audiences and accepts no users', {
        parameter: 'custom_audience_id',
        value: audienceId,
      });
    this.users.assertRoom(audienceId);
    const path = { account_id: account.id, custom_audience_id: audienceId };
    const batch = await Batch.readLarge(body, MAX_OPERATIONS, USER_OPERATIONS, path, ['users']);
    const { items } = batch.run<UserOperation>(this.handlers());
    const unknown = () => CUSTOM_AUDIENCES.notFoundError(account)(audienceId);
    const holder = {
      id: audienceId,
      kind: 'CUSTOM_AUDIENCE',
      accountId: audience.accountId,
      entity: CustomAudience,
    } as const;
    await this.users.upload(account, { ...holder, unknown, required }, batch, items);
    return countsOf(items);
  }

  /** The diagnostics of an audience that the account sees: complete for the owner, the size only for others. */
  async diagnose(account: ActingAccount, audienceId: string) {
    const audience = await one(this.access.visibleTo(account), audienceId, CUSTOM_AUDIENCES.notFoundError(account));
    if (audience.accountId !== account.id) return sharedDiagnostics(audience.audienceSize);
    const at = this.clock.now().toISOString();
    const { identifiers, ...census } = await countMembers(this.db, audience.id, at);
    return {
      persons_uploaded: census.uploaded,
      persons_valid: census.valid,
      persons_matched: await this.sizes.matched(audience, census.valid),
      persons_not_yet_effective: census.notYetEffective,
      persons_expired: census.expired,
      identifiers: Object.fromEntries(IDENTIFIER_KINDS.map((name, kind) => [name, identifiers[kind]])),
    };
  }

  private handlers(): Handlers<typeof USER_OPERATIONS, UserOperation> {
    const now = this.clock.now();
    return {
      Update: ({ params }) => ({ people: params.users, window: validWindow(params, now) }),
      Delete: ({ params }) => {
        validWindow(params, now);
        return { people: params.users };
      },
    };
  }
}

/**
 * Accounts with which an audience is shared can at most upload to it. Exact counts would reveal who was in it before.
 */
const sharedDiagnostics = (audienceSize: number | null): AudienceDiagnosticsView => ({
  persons_uploaded: null,
  persons_valid: null,
  persons_matched: audienceSize,
  persons_not_yet_effective: null,
  persons_expired: null,
  identifiers: null,
});

function validWindow(params: Omit<UpdateAudienceUsers, 'users'>, now: Date) {
  const window = windowOf(params, now);
  if (window.expiresAt > window.effectiveAt) return window;
  const { effective_at: from, expires_at: until } = params;
  if (until !== undefined)
    throw invalidTimeWindow(
      'expires_at',
      `expires_at must be later than effective_at, ${from ?? `which defaults to now, ${timeOf(window.effectiveAt)}`}`,
      until,
    );
  throw invalidTimeWindow(
    'effective_at',
    `effective_at must be earlier than expires_at, which defaults to 13 months from now, ${timeOf(window.expiresAt)}`,
    from,
  );
}
