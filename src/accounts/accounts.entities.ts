import type { Type } from '@nestjs/common';
import { Membership } from './access/membership.entity.js';
import { AccountApp } from './account-apps/account-app.entity.js';
import { Account } from './entities/account.entity.js';
import { Business } from './accounts/business.entity.js';
import { AccountChange } from './change-log/account-change.entity.js';
import { PromotableUser } from './promotable-users/promotable-user.entity.js';

/** The database tables of accounts, memberships and account history. */
export const ACCOUNTS_ENTITIES: Type[] = [Account, AccountApp, AccountChange, Business, Membership, PromotableUser];
