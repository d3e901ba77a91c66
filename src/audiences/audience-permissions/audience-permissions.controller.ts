import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import {
  CustomAudiencePermissionView,
  TailoredAudiencePermissionView,
  presentCustomPermission,
  presentTailoredPermission,
} from './audience-permission.presenter.js';
import { CUSTOM, TAILORED } from './audience-words.js';
import {
  GrantAudiencePermission,
  ListCustomAudiencePermissions,
  ListTailoredAudiencePermissions,
} from './audience-permissions.dto.js';
import { AudiencePermissionsService } from './audience-permissions.service.js';

@AccountController('custom_audiences/:custom_audience_id/permissions', {
  tag: 'Audience permissions',
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class CustomAudiencePermissionsController {
  constructor(private readonly permissions: AudiencePermissionsService) {}

  /** Lists the permissions of other accounts on an audience of the account. */
  @Get()
  @ReturnsPage(CustomAudiencePermissionView)
  async list(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') audience: string,
    @Params() query: ListCustomAudiencePermissions,
  ) {
    return (await this.permissions.list(account, audience, query, CUSTOM)).map(presentCustomPermission);
  }

  /** Shares an audience with another account, or changes its permission level. */
  @Post()
  @Returns(CustomAudiencePermissionView)
  @Returns(CustomAudiencePermissionView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') audience: string,
    @ParsedParams(GrantAudiencePermission) request: Parsed<GrantAudiencePermission>,
  ) {
    return (await this.permissions.grant(account, audience, request, CUSTOM)).map(presentCustomPermission);
  }

  /** Revokes another account's permission on an audience. Campaigns that target the audience continue. */
  @Delete(':custom_audience_permission_id')
  @Returns(CustomAudiencePermissionView)
  async delete(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') audience: string,
    @Param('custom_audience_permission_id') id: string,
  ) {
    return presentCustomPermission(await this.permissions.revoke(account, audience, id, CUSTOM));
  }
}

/**
 * The same endpoints under the names of version 5. One controller with both paths would give both versions the same path
 * parameters, filters, fields and operation ids, and all of these differ.
 */
@AccountController('tailored_audiences/:tailored_audience_id/permissions', {
  tag: 'Audience permissions',
  version: 5,
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class TailoredAudiencePermissionsController {
  constructor(private readonly permissions: AudiencePermissionsService) {}

  /** Lists the permissions of other accounts on an audience of the account. */
  @Get()
  @ReturnsPage(TailoredAudiencePermissionView)
  async list(
    @CurrentAccount() account: ActingAccount,
    @Param('tailored_audience_id') audience: string,
    @Params() query: ListTailoredAudiencePermissions,
  ) {
    return (await this.permissions.list(account, audience, query, TAILORED)).map(presentTailoredPermission);
  }

  /** Shares an audience with another account, or changes its permission level. */
  @Post()
  @Returns(TailoredAudiencePermissionView)
  @Returns(TailoredAudiencePermissionView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @Param('tailored_audience_id') audience: string,
    @ParsedParams(GrantAudiencePermission) request: Parsed<GrantAudiencePermission>,
  ) {
    return (await this.permissions.grant(account, audience, request, TAILORED)).map(presentTailoredPermission);
  }

  /** Revokes another account's permission on an audience. Campaigns that target the audience continue. */
  @Delete(':tailored_audience_permission_id')
  @Returns(TailoredAudiencePermissionView)
  async delete(
    @CurrentAccount() account: ActingAccount,
    @Param('tailored_audience_id') audience: string,
    @Param('tailored_audience_permission_id') id: string,
  ) {
    return presentTailoredPermission(await this.permissions.revoke(account, audience, id, TAILORED));
  }
}
