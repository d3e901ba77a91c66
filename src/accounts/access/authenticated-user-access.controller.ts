import { Get } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { closedSet } from '../../common/values/closed-set.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { DECIMAL_ID } from '../../common/http/answers/responses.js';
import { Returns } from '../../common/http/answers/returns.js';
import type { ActingAccount } from './acting-account.js';
import { AccountController, CurrentAccount } from './account-controller.js';
import { ACCOUNT_READ } from '../accounts.permissions.js';
import { canCompose, ROLES } from './roles.js';

const PERMISSIONS = closedSet('UserPermission', [...ROLES, 'POST_COMPOSER']);

@Noun('access of the authenticated user')
export class AuthenticatedUserAccessView {
  /** The id of the authenticated user. */
  @ApiProperty(DECIMAL_ID) user_id: string;
  /** The user's role on the account and additional permissions. */
  @ApiProperty({ ...enumSchema(PERMISSIONS), isArray: true }) permissions: (typeof PERMISSIONS)[number][];
}

@AccountController('authenticated_user_access', { tag: 'Accounts', reads: ACCOUNT_READ })
export class AuthenticatedUserAccessController {
  /** Retrieves the permissions of the authenticated user on the account. */
  @Get()
  @Returns(AuthenticatedUserAccessView)
  get(@CurrentAccount() { userId, role, postComposer }: ActingAccount): AuthenticatedUserAccessView {
    return { user_id: userId, permissions: postComposer && canCompose(role) ? [role, 'POST_COMPOSER'] : [role] };
  }
}
