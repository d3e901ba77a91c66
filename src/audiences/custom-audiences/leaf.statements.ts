import { REMEMBERED_DAYS } from '../entities/audience-identifier.entity.js';
import type { Bind } from '../../common/db/query/statement.js';
import { timesOf, type LeafSegment } from '../entities/segments.js';

/** Whether a row `p` was uploaded as often as a leaf requires within its last days in UTC, today included. */
export function heldBy(leaf: LeafSegment, today: number, bind: Bind): string {
  const { least, most } = timesOf(leaf);
  const since = `${bind(today - leaf.lookback_window + 1)}::integer`;
  const isRecent = `p."lastDay" >= ${since}`;
  if (least === 1 && most === null) return isRecent;
  const enough = `${bind(least)}::integer`;
  const within = (times: string) =>
    most === null ? `${times} >= ${enough}` : `${times} BETWEEN ${enough} AND ${bind(most)}::integer`;
  return `CASE WHEN NOT ${isRecent} THEN ${within('0')}
      WHEN p.earlier IS NULL${most === null ? ` OR p.updates >= ${enough}` : ''} THEN ${within('p.updates')}
      ELSE ${within(`p.updates + ${earlierSince(since)}`)} END`;
}

/** The number of uploads within its days before the last one. A subquery would prevent a parallel read. */
const earlierSince = (since: string) =>
  Array.from({ length: REMEMBERED_DAYS }, (_, i) => {
    const [day, times] = [2 * i + 1, 2 * i + 2];
    return `CASE WHEN p.earlier[${day}] >= ${since} THEN p.earlier[${times}]::bigint ELSE 0 END`;
  }).join(' + ');
