import { defineResource } from '../resources/resource-definition.js';
import { PromotableUser } from './promotable-user.entity.js';
import { presentPromotableUser } from './promotable-user.presenter.js';

/** Operators create and delete promotable users. Existing promotions stay unchanged. */
export const PROMOTABLE_USERS = defineResource<PromotableUser>({
  entity: PromotableUser,
  name: 'PROMOTABLE_USER',
  label: 'Promotable User',
  parameter: 'promotable_user_id',
  snapshot: presentPromotableUser,
});
