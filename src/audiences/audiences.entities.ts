import type { Type } from '@nestjs/common';
import { AudiencePermission } from './audience-permissions/audience-permission.entity.js';
import { AudienceIdentifier } from './entities/audience-identifier.entity.js';
import { AudienceRemoval } from './removals/audience-removal.entity.js';
import { AudienceSizing } from './entities/audience-sizing.entity.js';
import { AudienceSnapshotSlice } from './entities/audience-snapshot-slice.entity.js';
import { AudienceSnapshot } from './entities/audience-snapshot.entity.js';
import { CustomAudience } from './entities/custom-audience.entity.js';
import { DirectoryChange } from './directory/directory-change.entity.js';
import { DirectoryIdentifier } from './directory/directory-identifier.entity.js';
import { DirectorySample } from './directory/directory-sample.entity.js';
import { DirectoryUser } from './directory/directory-user.entity.js';
import { DoNotReachList } from './entities/do-not-reach-list.entity.js';
import { StoreSetting } from './locations/store-setting.entity.js';

/** The database tables of audiences, permissions, do-not-reach lists and the directory. */
export const AUDIENCES_ENTITIES: Type[] = [
  AudienceIdentifier,
  AudiencePermission,
  AudienceRemoval,
  AudienceSizing,
  AudienceSnapshot,
  AudienceSnapshotSlice,
  CustomAudience,
  DirectoryChange,
  DirectoryIdentifier,
  DirectorySample,
  DirectoryUser,
  DoNotReachList,
  StoreSetting,
];
