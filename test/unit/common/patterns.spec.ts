import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { composedPattern, composedPatterns, routePattern, trimTrailing } from '../../../src/common/text/patterns.js';
import '../../../src/common/text/words.js';
import { linearPatterns, madePatterns } from '../../../scripts/linear-patterns.mjs';

/** A pattern as the code has it that looks for it in a text. */
const soughtWith = (pattern: RegExp) => `text.replace(${pattern}, '')`;

/** What the linter says of code, as the names of the rules that it breaks. */
const faultsOf = (code: string) =>
  new Linter()
    .verify(code, [
      {
        ...linearPatterns,
        rules: { ...linearPatterns.rules, 'no-restricted-syntax': ['error', ...madePatterns] },
      },
    ])
    .map(({ ruleId, message }) => ruleId ?? message);

describe('the linter', () => {
  it.each([
    ['/=+$/', 'regexp/no-super-linear-move'],
    ['/0+$/', 'regexp/no-super-linear-move'],
    [String.raw`/\s+$/`, 'regexp/no-super-linear-move'],
    ['/^(a+)+$/', 'regexp/no-super-linear-backtracking'],
    [String.raw`/^\s*x?\s*$/`, 'regexp/no-super-linear-backtracking'],
    ['new RegExp(x)', 'no-restricted-syntax'],
    ['RegExp(x)', 'no-restricted-syntax'],
  ])('refuses %s', (code, rule) => expect(faultsOf(code)).toContain(rule));

  it.each(['/^[0-9a-z]+$/', '/^[A-Za-z0-9+/_-]*={0,2}$/', String.raw`text.replace(/\s+/g, '')`])('takes %s', (code) =>
    expect(faultsOf(code)).toEqual([]),
  );
});

describe('patterns that are put together', () => {
  it('take linear time', () => {
    const patterns = composedPatterns();
    expect(patterns.length).toBeGreaterThanOrEqual(2);
    for (const pattern of patterns)
      expect({ pattern, faults: faultsOf(soughtWith(pattern)) }).toEqual({ pattern, faults: [] });
  });

  it('are those of the modules that this test imports', () => {
    const users = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && readFileSync(join('src', file), 'utf8').includes('composedPattern('))
      .toSorted();
    expect(users).toEqual(['common/text/patterns.ts', 'common/text/words.ts']);
  });

  it('are all checked', () => {
    const pattern = composedPattern('a+$', 'u');
    expect(composedPatterns()).toContain(pattern);
    expect(faultsOf(soughtWith(pattern))).toEqual(['regexp/no-super-linear-move']);
  });

  it('match the paths of a route', () => {
    const pattern = routePattern('/12/accounts/:account_id/media/:key.m3u8');
    expect(faultsOf(soughtWith(pattern))).toEqual([]);
    expect(pattern.test('/12/accounts/abc/media/k1.m3u8')).toBe(true);
    expect(pattern.test('/12/accounts/a/b/media/k1.m3u8')).toBe(false);
    expect(pattern.test('/12/accounts/abc/media/k1xm3u8')).toBe(false);
  });
});

describe('what a text ends in', () => {
  it.each([
    ['abc==', '=', 'abc'],
    ['====', '=', ''],
    ['a=b', '=', 'a=b'],
    ['', '=', ''],
    [`${'='.repeat(500_000)}A`, '=', `${'='.repeat(500_000)}A`],
  ])('is taken off', (text, character, rest) => expect(trimTrailing(text, character)).toBe(rest));
});
