import { setTimeout as pause } from 'node:timers/promises';
import { longReadsOn } from '../../../src/common/db/query/bulkhead.js';

describe('long reads', () => {
  /** Starts reads of these owners, and returns which of them run at once. */
  async function running(connections: number, ...owners: string[]): Promise<string[]> {
    const reads = longReadsOn(connections);
    const begun: string[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const all = owners.map((owner) =>
      reads.run(owner, () => {
        begun.push(owner);
        return ended;
      }),
    );
    await pause(10);
    const first = [...begun];
    end();
    await Promise.all(all);
    expect(begun.toSorted()).toEqual(owners.toSorted());
    return first;
  }

  it('of one owner take at most half of the connections, of all at most all but one', async () => {
    expect(await running(4, 'a', 'a', 'a', 'a')).toEqual(['a', 'a']);
    expect(await running(4, 'a', 'a', 'a', 'b', 'b', 'c')).toEqual(['a', 'a', 'b']);
    expect(await running(3, 'a', 'a', 'b')).toEqual(['a', 'b']);
  });

  it('run one at a time on one connection', async () => {
    expect(await running(1, 'a', 'b')).toEqual(['a']);
  });

  it('are rejected when others take too long', async () => {
    const reads = longReadsOn(2);
    const first = reads.run('a', () => pause(1_800));
    await expect(reads.run('a', () => pause(0))).rejects.toThrow('Other long reads took too long.');
    await first;
  });
});
