import type { Type } from '@nestjs/common';
import { ACCOUNTS_ENTITIES } from './accounts/accounts.entities.js';
import { AUDIENCES_ENTITIES } from './audiences/audiences.entities.js';
import { AUTH_ENTITIES } from './auth/auth.entities.js';
import { CAMPAIGNS_ENTITIES } from './campaigns/campaigns.entities.js';
import { CREATIVES_ENTITIES } from './creatives/creatives.entities.js';
import { COMMON_ENTITIES } from './common/common.entities.js';
import { STATISTICS_ENTITIES } from './statistics/statistics.entities.js';
import { WEBHOOKS_ENTITIES } from './webhooks/webhooks.entities.js';
import { WORKBENCH_ENTITIES } from './workbench/workbench.entities.js';

/** All tables; each domain lists its own. */
export const ENTITIES: Type[] = [
  ...COMMON_ENTITIES,
  ...AUTH_ENTITIES,
  ...ACCOUNTS_ENTITIES,
  ...CREATIVES_ENTITIES,
  ...AUDIENCES_ENTITIES,
  ...CAMPAIGNS_ENTITIES,
  ...STATISTICS_ENTITIES,
  ...WEBHOOKS_ENTITIES,
  ...WORKBENCH_ENTITIES,
];
