import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { presentResource, ResourceView, Unescaped } from '../../common/http/responses.js';
import { PROMOTABLE_USER_TYPES, type PromotableUser, type PromotableUserType } from './promotable-user.entity.js';

export class PromotableUserView extends ResourceView {
  @ApiProperty() user_id: string;
  @ApiProperty({ enum: PROMOTABLE_USER_TYPES }) @Unescaped() promotable_user_type: PromotableUserType;
}

export const presentPromotableUser = (user: Row<PromotableUser>): PromotableUserView =>
  presentResource(user, {
    user_id: user.userId,
    promotable_user_type: user.promotableUserType,
  });
