import type { Type } from '@nestjs/common';
import { BlobFolder } from './blobs/blob-folder.entity.js';
import { Counter } from './db/counters/counter.entity.js';
import { JobRow } from './jobs/job-row.entity.js';
import { StorageUsage } from './storage/storage-usage.entity.js';
import { OutgoingEvent } from './outbox/outgoing-event.entity.js';

/** The tables that all domains share. */
export const COMMON_ENTITIES: Type[] = [BlobFolder, Counter, JobRow, OutgoingEvent, StorageUsage];
