import { fnv1a } from '../../values/fnv1a.js';
import { hasReplayed, type Freshness, type PrimaryReason, type WalPosition } from '../query/freshness.js';

/** A read replica, as far as the choice depends on it. */
export interface ReplicaCandidate {
  /** Everything up to here is replayed; undefined until it is known. */
  readonly replayed?: WalPosition;
  /** Whether it responds, and lags at most by the limit. */
  readonly isInUse: boolean;
}

/** The replica that serves a read, or why the primary does. */
export type ReplicaChoice<C> = { replica: C } | { primaryBecause: PrimaryReason };

/**
 * Chooses the server of a read: of the replicas in use that have replayed what it must see, the first one in the order
 * of its owner.
 */
export function chooseReplica<C extends ReplicaCandidate>(
  replicas: readonly C[],
  freshness: Freshness,
): ReplicaChoice<C> {
  const { owner, position, primaryBecause } = freshness;
  if (primaryBecause) return { primaryBecause };
  let isBehind = false;
  const first = replicas.length > 1 ? fnv1a(owner) % replicas.length : 0;
  for (let i = 0; i < replicas.length; i++) {
    const replica = replicas[(first + i) % replicas.length];
    if (!replica.isInUse || replica.replayed === undefined) continue;
    if (position === undefined || hasReplayed(replica.replayed, position)) return { replica };
    isBehind = true;
  }
  return { primaryBecause: isBehind ? 'behind' : 'none' };
}
