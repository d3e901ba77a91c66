import fc from 'fast-check';
import { hasReplayed, walPosition } from '../../../src/common/db/query/freshness.js';
import { chooseReplica, type ReplicaCandidate } from '../../../src/common/db/read-replicas/choose-replica.js';

const positions = fc
  .record({ timeline: fc.integer({ min: 1, max: 3 }), low: fc.integer({ min: 0, max: 20 }) })
  .map(({ timeline, low }) => ({ timeline, low, text: walPosition(timeline, `1/${low.toString(16).toUpperCase()}`) }));

const servers = fc.array(fc.record({ isInUse: fc.boolean(), at: fc.option(positions, { nil: undefined }) }), {
  maxLength: 4,
});

const candidates = (found: { isInUse: boolean; at?: { text: string } }[]): ReplicaCandidate[] =>
  found.map(({ isInUse, at }) => ({ isInUse, replayed: at?.text }));

describe('the server of a read', () => {
  it('has replayed what the read must see, of the same or a later timeline, and is in use', () => {
    fc.assert(
      fc.property(servers, fc.option(positions, { nil: undefined }), fc.string(), (found, needed, owner) => {
        const replicas = candidates(found);
        const choice = chooseReplica(replicas, { owner, position: needed?.text });
        const fit = found.map(
          ({ isInUse, at }) =>
            isInUse &&
            at !== undefined &&
            (needed === undefined || (at.timeline >= needed.timeline && at.low >= needed.low)),
        );
        if ('replica' in choice) expect(fit[replicas.indexOf(choice.replica)]).toBe(true);
        else {
          expect(fit).not.toContain(true);
          const anyInUse = found.some(({ isInUse, at }) => isInUse && at !== undefined);
          expect(choice.primaryBecause).toBe(anyInUse ? 'behind' : 'none');
        }
      }),
    );
  });

  it('is the primary while a write is in progress, or writes may be unknown', () => {
    const replicas = [{ isInUse: true, replayed: walPosition(1, 'F/F') }];
    for (const primaryBecause of ['writing', 'unknown'] as const)
      expect(chooseReplica(replicas, { owner: 'a', primaryBecause })).toEqual({ primaryBecause });
  });

  it('is the same for all reads of an account, and others for other accounts', () => {
    const replicas = [1, 2, 3].map((n) => ({ n, isInUse: true, replayed: walPosition(1, '0/9') }));
    const serverOf = (owner: string) => {
      const choice = chooseReplica(replicas, { owner });
      return 'replica' in choice ? choice.replica.n : undefined;
    };
    fc.assert(fc.property(fc.string(), (owner) => expect(serverOf(owner)).toBe(serverOf(owner))));
    const accounts = Array.from({ length: 300 }, (_, i) => `18ce54d${i}`);
    for (const n of [1, 2, 3]) expect(accounts.filter((account) => serverOf(account) === n).length).toBeGreaterThan(50);
  });
});

describe('a position in the log', () => {
  it('compares as the numbers that it is made of', () => {
    const lsn = fc.tuple(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0, max: 0xffffffff }));
    const textOf = ([high, low]: [number, number]) => `${high.toString(16)}/${low.toString(16)}`.toUpperCase();
    const valueOf = ([high, low]: [number, number]) => (BigInt(high) << 32n) + BigInt(low);
    fc.assert(
      fc.property(lsn, lsn, (one, other) => {
        const has = hasReplayed(walPosition(7, textOf(one)), walPosition(7, textOf(other)));
        expect(has).toBe(valueOf(one) >= valueOf(other));
      }),
    );
  });

  it('of an abandoned timeline contains nothing of the next one, and the next one not what it has not replayed', () => {
    expect(hasReplayed(walPosition(1, '0/FF'), walPosition(2, '0/10'))).toBe(false);
    expect(hasReplayed(walPosition(2, '0/10'), walPosition(1, '0/FF'))).toBe(false);
    expect(hasReplayed(walPosition(10, '0/FF'), walPosition(9, '0/FF'))).toBe(true);
  });
});
