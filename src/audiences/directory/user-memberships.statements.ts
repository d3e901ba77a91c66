import { REMEMBERED_DAYS } from '../entities/audience-identifier.entity.js';
import { occurrenceRangeOf, type LeafSegment, type Segment } from '../entities/segments.js';
import { dayOf } from '../../common/time/days.js';
import type { Bind } from '../../common/db/query/statement.js';
import { VALID } from './directory-count.statements.js';

/** An audience or do-not-reach list, for a membership check of users. */
export interface AskedAudience {
  id: string;
  /** The tree of a flexible audience, which determines its members. */
  segments?: Segment;
  /** The audiences with uploaded people that compose it. A plain audience consists of itself. */
  madeOf: readonly string[];
}

/**
 * The condition that a user `d` belongs to one of the audiences at a time. It checks row by row with key lookups, so it
 * suits queries with few remaining rows. It prevents the planner from joining whole audiences.
 */
export function belongsToAny(audiences: readonly AskedAudience[], bind: Bind, at: Date): string {
  const plain = audiences.filter(({ segments }) => !segments).map(({ id }) => id);
  const ways = plain.length > 0 ? [isIn(plain, bind, at)] : [];
  for (const { segments, madeOf } of audiences) {
    // A negated segment can only hold people of these audiences.
    if (segments && madeOf.length > 0)
      ways.push(`(${isIn(madeOf, bind, at)} AND ${holds(segments, madeOf, bind, at)})`);
  }
  return ways.length > 0 ? `(${ways.join(' OR ')})` : 'false';
}

/** The condition that an identifier of a user `d` is in one of these audiences and meets `held`. */
function isIn(audienceIds: readonly string[], bind: Bind, at: Date, held = 'true'): string {
  return `COALESCE((SELECT true FROM directory_identifiers i, LATERAL (
      SELECT 1 FROM audience_identifiers p WHERE p."audienceId" = ANY(${bind(audienceIds)}::varchar[]) AND p.kind = i.kind AND p.hash = i.hash
        AND ${VALID('p', `${bind(at.toISOString())}::timestamptz`)} AND ${held} OFFSET 0) p
    WHERE i.number = d.number LIMIT 1), false)`;
}

/** `belongs` of segments.ts as a condition on a user `d`. Deleted leaves have no people. */
function holds(segment: Segment, alive: readonly string[], bind: Bind, at: Date): string {
  const told = isLeaf(segment) ? leafHolds(segment, alive, bind, at) : innerHolds(segment, alive, bind, at);
  return segment.negate ? `NOT ${told}` : told;
}

const isLeaf = (segment: Segment): segment is LeafSegment => segment.child_segments.length === 0;

function leafHolds(leaf: LeafSegment, alive: readonly string[], bind: Bind, at: Date): string {
  if (!alive.includes(leaf.custom_audience_id)) return 'false';
  const today = dayOf(at.getTime());
  return isIn([leaf.custom_audience_id], bind, at, heldBy(leaf, today, bind));
}

function innerHolds(segment: Exclude<Segment, LeafSegment>, alive: readonly string[], bind: Bind, at: Date): string {
  const children = segment.child_segments.map((child) => `(${holds(child, alive, bind, at)})::int`);
  const { min, max } = occurrenceRangeOf(segment);
  const needed = Math.max(min, segment.boolean_operator === 'AND' ? children.length : 1);
  return `(${children.join(' + ')} BETWEEN ${bind(needed)}::int AND ${bind(max ?? children.length)}::int)`;
}

/** Whether a row `p` was uploaded as often as a leaf requires within its last days in UTC, today included. */
export function heldBy(leaf: LeafSegment, today: number, bind: Bind): string {
  const { min, max } = occurrenceRangeOf(leaf);
  const since = `${bind(today - leaf.lookback_window + 1)}::integer`;
  const isRecent = `p."lastDay" >= ${since}`;
  if (min === 1 && max === null) return isRecent;
  const enough = `${bind(min)}::integer`;
  const within = (times: string) =>
    max === null ? `${times} >= ${enough}` : `${times} BETWEEN ${enough} AND ${bind(max)}::integer`;
  return `CASE WHEN NOT ${isRecent} THEN ${within('0')}
      WHEN p.earlier IS NULL${max === null ? ` OR p.updates >= ${enough}` : ''} THEN ${within('p.updates')}
      ELSE ${within(`p.updates + ${earlierSince(since)}`)} END`;
}

/** The number of uploads within its days before the last one. A subquery would prevent a parallel read. */
const earlierSince = (since: string) =>
  Array.from({ length: REMEMBERED_DAYS }, (_, i) => {
    const [day, times] = [2 * i + 1, 2 * i + 2];
    return `CASE WHEN p.earlier[${day}] >= ${since} THEN p.earlier[${times}]::bigint ELSE 0 END`;
  }).join(' + ');
