import { Unavailable } from '../../../src/common/errors/unavailable.js';
import { retrying, StaleReference } from '../../../src/common/db/query/retry.js';

/** Work that fails so often, in this way, before it succeeds. */
function failing(times: number, error: Error) {
  let runs = 0;
  const work = () => (++runs <= times ? Promise.reject(error) : Promise.resolve(runs));
  return { work, runs: () => runs };
}

const sqlError = (code: string, constraint?: string) =>
  Object.assign(new Error(code), { code, severity: 'ERROR', constraint });

describe('work that failed', () => {
  it.each([
    ['a serialisation failure', sqlError('40001')],
    ['a deadlock', sqlError('40P01')],
    ['an id that was taken', sqlError('23505', 'PK_campaigns')],
  ])('because of %s is done again, three times at most', async (_, error) => {
    expect(await retrying(failing(2, error).work)).toBe(3);
    const always = failing(9, error);
    await expect(retrying(always.work)).rejects.toBe(error);
    expect(always.runs()).toBe(3);
  });

  it('because a reference was stale is done again, five times at most, and then answered 503', async () => {
    expect(await retrying(failing(4, new StaleReference()).work)).toBe(5);
    const always = failing(9, new StaleReference());
    await expect(retrying(always.work)).rejects.toThrow(Unavailable);
    expect(always.runs()).toBe(5);
  });

  it.each([
    ['a name that was taken', sqlError('23505', 'custom_audiences_one_name')],
    ['anything else', new Error('no')],
  ])('because of %s is not done again', async (_, error) => {
    const once = failing(1, error);
    await expect(retrying(once.work)).rejects.toBe(error);
    expect(once.runs()).toBe(1);
  });
});
