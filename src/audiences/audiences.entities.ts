import type { Type } from '@nestjs/common';
import { AudiencePermission } from './audience-permissions/audience-permission.entity.js';
import { CustomAudience } from './custom-audiences/custom-audience.entity.js';

/** The tables of audiences and of who may use them. */
export const AUDIENCES_ENTITIES: Type[] = [AudiencePermission, CustomAudience];
