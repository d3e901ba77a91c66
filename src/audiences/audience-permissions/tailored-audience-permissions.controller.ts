import { Delete, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { ChecksStored } from '../../common/http/checks-stored.js';
import { Params } from '../../common/http/params.js';
import type { Parsed } from '../../common/http/parsed.js';
import { ReturnsOne, ReturnsPage } from '../../common/http/responses.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { presentTailoredPermission, TailoredAudiencePermissionView } from './audience-permission.presenter.js';
import { TAILORED } from './audience-permission.resource.js';
import { GrantAudiencePermission, ListTailoredAudiencePermissions } from './audience-permissions.dto.js';
import { AudiencePermissionsService } from './audience-permissions.service.js';

@AccountController('tailored_audiences/:tailored_audience_id/permissions', {
  tag: 'Audience permissions',
  version: 5,
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class TailoredAudiencePermissionsController {
  constructor(private readonly permissions: AudiencePermissionsService) {}

  /** What other accounts may do with an audience of the account. */
  @Get()
  @ReturnsPage(TailoredAudiencePermissionView)
  async list(
    @CurrentAccount() account: ActingAccount,
    @Param('tailored_audience_id') audience: string,
    @Params() query: ListTailoredAudiencePermissions,
  ) {
    return (await this.permissions.list(account, audience, query, TAILORED)).map(presentTailoredPermission);
  }

  /** Shares an audience with another account, or changes what that may do with it. */
  @Post()
  @ChecksStored(
    AudiencePermissionsService,
    (permissions, parsed: Parsed<GrantAudiencePermission>, { account, params }) =>
      permissions.problemsOfGrant(
        account!,
        (params as { tailored_audience_id: string }).tailored_audience_id,
        parsed,
        TAILORED,
      ),
  )
  @ReturnsOne(TailoredAudiencePermissionView, 200)
  @ReturnsOne(TailoredAudiencePermissionView, 201)
  async create(
    @CurrentAccount() account: ActingAccount,
    @Param('tailored_audience_id') audience: string,
    @Params() params: GrantAudiencePermission,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { permission, isNew } = await this.permissions.grant(account, audience, params, TAILORED);
    reply.status(isNew ? 201 : 200);
    return presentTailoredPermission(permission);
  }

  /** Ends what another account may do with an audience; campaigns that target it go on. */
  @Delete(':tailored_audience_permission_id')
  @ReturnsOne(TailoredAudiencePermissionView)
  async delete(
    @CurrentAccount() account: ActingAccount,
    @Param('tailored_audience_id') audience: string,
    @Param('tailored_audience_permission_id') id: string,
  ) {
    return presentTailoredPermission(await this.permissions.revoke(account, audience, id, TAILORED));
  }
}
