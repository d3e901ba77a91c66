import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { recordAs } from '../resource-definition.js';
import {
  PROMOTABLE_USERS,
  PROMOTABLE_USER_TYPES,
  PromotableUser,
  type PromotableUserType,
} from './promotable-user.entity.js';

export class PromotableUserView extends ResourceView {
  /** The user whose posts the account may promote. */
  @ApiProperty(DECIMAL_ID) user_id: string;
  /** FULL: all posts of the user. RETWEETS_ONLY: the user's reposts. */
  @ApiProperty(enumSchema(PROMOTABLE_USER_TYPES)) @Unescaped() promotable_user_type: PromotableUserType;
}

export const presentPromotableUser = (user: Row<PromotableUser>): PromotableUserView =>
  present(PromotableUserView, user);

recordAs(PROMOTABLE_USERS, PromotableUserView, presentPromotableUser);
