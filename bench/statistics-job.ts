import { setTimeout as pause } from 'node:timers/promises';
import { locationOf } from '../src/audiences/locations/countries.js';
import { inSeconds } from '../src/common/time/in-seconds.js';
import { longestBlockMs } from './blocked.js';
import { ask } from './http.js';
import { DAYS, type Delivery } from './statistics-world.js';
import type { World } from './world.js';

const ENTITIES = 20;
const DAYS_OF_JOB = 45;
const ASKED_EVERY_MS = 100;

/** A job from its request until its file is there. */
export interface JobTimes {
  name: string;
  seconds: number;
  /** The longest time in which the service did nothing else. */
  blockedMs: number;
}

/** Jobs of 20 line items over 45 days by METROS, for each day and for each hour. */
export async function measureJobs(world: World, { accounts, bounds }: Delivery, port: number): Promise<JobTimes[]> {
  const times: JobTimes[] = [];
  const [{ id, items }] = accounts;
  const [start, end] = [inSeconds(bounds[DAYS - DAYS_OF_JOB]), inSeconds(bounds[DAYS])];
  const path = `/12/stats/jobs/accounts/${id}`;
  // the first job is for the compiler
  for (const granularity of ['DAY', 'DAY', 'HOUR']) {
    const query = new URLSearchParams({
      ...{ entity: 'LINE_ITEM', entity_ids: items.slice(0, ENTITIES).join(), granularity },
      ...{ start_time: start, end_time: end, placement: 'ALL_ON_PLATFORM' },
      ...{ metric_groups: 'ENGAGEMENT,BILLING', segmentation_type: 'METROS', country: locationOf('US') },
    });
    await longestBlockMs(port);
    const begun = performance.now();
    const made = await ask(port, world.pen, { method: 'POST', target: `${path}?${query.toString()}` });
    await whenDone(world, port, `${path}?job_ids=${(JSON.parse(made) as { data: { id: string } }).data.id}`);
    const seconds = (performance.now() - begun) / 1_000;
    times.push({ name: `job by METROS, ${granularity}`, seconds, blockedMs: await longestBlockMs(port) });
  }
  return times.slice(1);
}

async function whenDone({ pen }: World, port: number, target: string): Promise<void> {
  for (;;) {
    const { data } = JSON.parse(await ask(port, pen, { method: 'GET', target })) as { data: [{ status: string }] };
    if (data[0].status === 'SUCCESS') return;
    if (data[0].status === 'FAILED') throw new Error('the job failed');
    await pause(ASKED_EVERY_MS);
  }
}
