import type { Type } from '@nestjs/common';
import { AudiencePermission } from './audience-permissions/audience-permission.entity.js';
import { AudienceIdentifier } from './audience-users/audience-identifier.entity.js';
import { AudienceSizing } from './audience-users/audience-sizing.entity.js';
import { CustomAudience } from './custom-audiences/custom-audience.entity.js';

/** The tables of audiences and of who may use them. */
export const AUDIENCES_ENTITIES: Type[] = [AudienceIdentifier, AudiencePermission, AudienceSizing, CustomAudience];
