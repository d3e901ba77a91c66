import type { Type } from '@nestjs/common';
import { AudiencePermission } from './audience-permissions/audience-permission.entity.js';
import { AudienceIdentifier } from './audience-users/audience-identifier.entity.js';
import { DirectoryIdentifier } from './directory/directory-identifier.entity.js';
import { DirectoryUser } from './directory/directory-user.entity.js';
import { CustomAudience } from './custom-audiences/custom-audience.entity.js';

/** The tables of audiences and of who may use them. */
export const AUDIENCES_ENTITIES: Type[] = [
  AudienceIdentifier,
  AudiencePermission,
  CustomAudience,
  DirectoryIdentifier,
  DirectoryUser,
];
