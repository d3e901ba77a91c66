import { StaleReference, withFreshReferences } from '../../../src/common/db/cache/fresh-references.js';

/** A cache of one number, which `store` changes behind its back. */
class Cached {
  stored = 0;
  private copy?: number;
  reads = 0;
  read(): number {
    if (this.copy === undefined) this.reads++;
    return (this.copy ??= this.stored);
  }
  clear(): void {
    this.copy = undefined;
  }
}

describe('a write that was planned with cached rows', () => {
  const written = async (...used: [Cached, number][]) => {
    for (const [cache, value] of used) if (value !== cache.stored) throw new StaleReference('row');
    return used.map(([, value]) => value);
  };

  it('uses what is cached as long as it is what is stored', async () => {
    const cache = new Cached();
    for (let round = 0; round < 3; round++) {
      expect(await withFreshReferences([cache], () => written([cache, cache.read()]))).toEqual([0]);
    }
    expect(cache.reads).toBe(1);
  });

  it('is planned again with fresh rows from all of the caches', async () => {
    const caches = [new Cached(), new Cached()];
    for (const cache of caches) cache.read();
    for (const cache of caches) cache.stored = 7;
    let attempts = 0;
    const work = () => (attempts++, written([caches[0], caches[0].read()], [caches[1], caches[1].read()]));
    expect(await withFreshReferences(caches, work)).toEqual([7, 7]);
    expect(attempts).toBe(2);
  });

  it('is given up, as stale, when its rows change each time', async () => {
    const cache = new Cached();
    let attempts = 0;
    const work = () => {
      attempts++;
      const value = cache.read();
      cache.stored++;
      return written([cache, value]);
    };
    await expect(withFreshReferences([cache], work)).rejects.toThrow(StaleReference);
    expect([attempts, cache.reads]).toEqual([5, 5]);
  });

  it('fails at once for any other reason, and keeps the cache', async () => {
    const cache = new Cached();
    cache.read();
    await expect(withFreshReferences([cache], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    cache.read();
    expect(cache.reads).toBe(1);
  });
});
