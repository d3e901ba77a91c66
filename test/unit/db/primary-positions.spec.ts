import { setTimeout as pause } from 'node:timers/promises';
import { walPosition } from '../../../src/common/db/query/freshness.js';
import { PrimaryPositions } from '../../../src/common/db/read-replicas/primary-positions.js';

/** A primary whose log grows by one with each write. */
class FakePrimary {
  written = 0;
  asked = 0;
  renewed = 0;
  state: 'primary' | 'standby' | 'away' = 'primary';
  /** How long an answer takes. */
  delayMs = 0;

  async run<R>(): Promise<R[]> {
    this.asked++;
    const lsn = `0/${(0x1000 + this.written).toString(16)}`;
    if (this.delayMs > 0) await pause(this.delayMs);
    if (this.state === 'away') throw new Error('no answer');
    return [this.state === 'primary' ? { timeline: '00000001', lsn } : { timeline: null, lsn: null }] as R[];
  }

  renew(): void {
    this.renewed++;
  }

  async close(): Promise<void> {
    // nothing to close
  }

  position(written = this.written): string {
    return walPosition(1, `0/${(0x1000 + written).toString(16)}`);
  }
}

describe('the positions of a primary', () => {
  let primary: FakePrimary;
  let positions: PrimaryPositions;
  beforeEach(() => {
    primary = new FakePrimary();
    positions = new PrimaryPositions(primary, 1_000);
  });
  afterEach(() => positions.stop());

  it('find one position for all writes that ended at the same time, none of them earlier than its write', async () => {
    const found = await Promise.all(
      Array.from({ length: 50 }, async () => {
        primary.written++;
        const own = primary.position();
        return { own, found: await positions.next() };
      }),
    );
    for (const each of found) expect(each.found! >= each.own).toBe(true);
    expect(primary.asked).toBe(1);
  });

  it('ask again for a write that ended after the question was sent', async () => {
    primary.delayMs = 60;
    const first = positions.next();
    await pause(40);
    primary.written++;
    expect(await positions.next()).toBe(primary.position());
    expect(await first).toBe(primary.position(0));
  });

  it('say since when a server has everything, from when the question was sent', async () => {
    await positions.start();
    const before = performance.now();
    primary.written = 1;
    await positions.next();
    const after = performance.now();
    primary.written = 2;
    await pause(150);
    await positions.next();
    const since = positions.coveredSince(primary.position(1))!;
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(after);
    expect(positions.coveredSince(primary.position(2))).toBeGreaterThan(after);
    expect(positions.coveredSince(walPosition(1, '0/1'))).toBeUndefined();
  });

  it('wait for a primary that does not answer, or is a standby, and look for another one', async () => {
    primary.state = 'standby';
    const found = positions.next();
    await pause(50);
    expect(primary.renewed).toBeGreaterThan(0);
    primary.state = 'away';
    await pause(300);
    primary.state = 'primary';
    expect(await found).toBe(primary.position());
  });

  it('give up when they stop', async () => {
    primary.state = 'away';
    const found = positions.next();
    await pause(30);
    await positions.stop();
    expect(await found).toBeUndefined();
  });
});
