import { Delete, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { ChecksStored } from '../../common/http/checks-stored.js';
import { Params } from '../../common/http/params.js';
import type { Parsed } from '../../common/http/parsed.js';
import { ReturnsOne, ReturnsPage } from '../../common/http/responses.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { presentCustomPermission, CustomAudiencePermissionView } from './audience-permission.presenter.js';
import { CUSTOM } from './audience-permission.resource.js';
import { GrantAudiencePermission, ListCustomAudiencePermissions } from './audience-permissions.dto.js';
import { AudiencePermissionsService } from './audience-permissions.service.js';

@AccountController('custom_audiences/:custom_audience_id/permissions', {
  tag: 'Audience permissions',
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class CustomAudiencePermissionsController {
  constructor(private readonly permissions: AudiencePermissionsService) {}

  /** What other accounts may do with an audience of the account. */
  @Get()
  @ReturnsPage(CustomAudiencePermissionView)
  async list(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') audience: string,
    @Params() query: ListCustomAudiencePermissions,
  ) {
    return (await this.permissions.list(account, audience, query, CUSTOM)).map(presentCustomPermission);
  }

  /** Shares an audience with another account, or changes what that may do with it. */
  @Post()
  @ChecksStored(
    AudiencePermissionsService,
    (permissions, parsed: Parsed<GrantAudiencePermission>, { account, params }) =>
      permissions.problemsOfGrant(
        account!,
        (params as { custom_audience_id: string }).custom_audience_id,
        parsed,
        CUSTOM,
      ),
  )
  @ReturnsOne(CustomAudiencePermissionView, 200)
  @ReturnsOne(CustomAudiencePermissionView, 201)
  async create(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') audience: string,
    @Params() params: GrantAudiencePermission,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { permission, isNew } = await this.permissions.grant(account, audience, params, CUSTOM);
    reply.status(isNew ? 201 : 200);
    return presentCustomPermission(permission);
  }

  /** Ends what another account may do with an audience; campaigns that target it go on. */
  @Delete(':custom_audience_permission_id')
  @ReturnsOne(CustomAudiencePermissionView)
  async delete(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') audience: string,
    @Param('custom_audience_permission_id') id: string,
  ) {
    return presentCustomPermission(await this.permissions.revoke(account, audience, id, CUSTOM));
  }
}
