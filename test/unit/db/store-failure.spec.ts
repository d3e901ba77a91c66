import { StoreInUse } from '../../../src/common/db/embedded/lock.js';
import { storeFailure } from '../../../src/common/db/embedded/store-failure.js';
import { StartFailure } from '../../../src/common/start-failure.js';

const FULL = /^DATA_DIR: the disk of \/tmp is full; free up space/;
const sqlError = (code: string, message: string) => Object.assign(new Error(message), { severity: 'ERROR', code });
const wordsOf = (error: unknown, opening = false) => {
  const failure = storeFailure(error, '/tmp', { opening });
  expect(failure).toBeInstanceOf(StartFailure);
  return (failure as Error).message;
};

describe('why a store cannot be opened', () => {
  it.each<[string, unknown, RegExp]>([
    ['the system', Object.assign(new Error('no space'), { code: 'ENOSPC', errno: -28 }), FULL],
    ['WebAssembly, which has numbers of its own', { name: 'ErrnoError', errno: 51 }, FULL],
    [
      'WebAssembly, of a file system that is read-only',
      { name: 'ErrnoError', errno: 69 },
      /cannot write to \/tmp \(EROFS\)/,
    ],
    ['PostgreSQL', sqlError('53100', 'could not extend file: No space left on device'), FULL],
    ['PostgreSQL, of pages', sqlError('XX001', 'invalid page in block 0'), /is damaged \(invalid page in block 0\)/],
  ])('is told by %s', (_, error, words) => expect(wordsOf(error)).toMatch(words));

  it('is the state of its files where PostgreSQL does not even begin', () => {
    expect(wordsOf(new Error('Aborted(). Build with -sASSERTIONS'), true)).toContain(
      '(PostgreSQL cannot start with it)',
    );
  });

  it('is no mistake of ours, nor what is said already', () => {
    for (const error of [new TypeError('x is not y'), sqlError('42P01', 'no such table'), new StoreInUse(1, '/tmp')])
      expect(storeFailure(error, '/tmp')).toBe(error);
  });
});
