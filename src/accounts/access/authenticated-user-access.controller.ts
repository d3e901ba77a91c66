import { Get } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ReturnsOne } from '../../common/http/responses.js';
import type { ActingAccount } from './acting-account.js';
import { AccountController, CurrentAccount } from './account-controller.js';
import { ACCOUNT_READ } from '../accounts.permissions.js';
import { composes, ROLES } from './roles.js';

const PERMISSIONS = [...ROLES, 'POST_COMPOSER'] as const;

export class AuthenticatedUserAccessView {
  @ApiProperty() user_id: string;
  @ApiProperty({ enum: PERMISSIONS, isArray: true }) permissions: (typeof PERMISSIONS)[number][];
}

@AccountController('authenticated_user_access', { tag: 'Accounts', reads: ACCOUNT_READ })
export class AuthenticatedUserAccessController {
  /** What the authenticated user may do on the account (Part 3, 4.3). */
  @Get()
  @ReturnsOne(AuthenticatedUserAccessView)
  get(@CurrentAccount() { userId, role, postComposer }: ActingAccount): AuthenticatedUserAccessView {
    return { user_id: userId, permissions: postComposer && composes(role) ? [role, 'POST_COMPOSER'] : [role] };
  }
}
