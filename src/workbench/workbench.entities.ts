import type { Type } from '@nestjs/common';
import { TestClock } from './clocks/test-clock.entity.js';
import { Fault } from './faults/fault.entity.js';
import { JournaledRequest } from './journal/journaled-request.entity.js';
import { Snapshot, SnapshotPart } from './snapshots/snapshot.entity.js';
import { Namespace } from './namespaces/namespace.entity.js';

export const WORKBENCH_ENTITIES: Type[] = [JournaledRequest, Fault, Snapshot, SnapshotPart, Namespace, TestClock];
