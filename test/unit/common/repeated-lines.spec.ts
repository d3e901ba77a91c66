import { jest } from '@jest/globals';
import { RepeatedLines } from '../../../src/common/logging/repeated-lines.js';

describe('repeated lines', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const written: [string, number | undefined][] = [];
  beforeEach(() => void (written.length = 0));
  const write = (lines: RepeatedLines, key: string) =>
    lines.write(key, (repetitions) => written.push([key, repetitions]));

  it('are written once, and their number ten seconds later', () => {
    const lines = new RepeatedLines();
    for (let i = 0; i < 47; i++) write(lines, 'down');
    write(lines, 'other');
    expect(written).toEqual([
      ['down', undefined],
      ['other', undefined],
    ]);
    jest.advanceTimersByTime(10_000);
    expect(written.slice(2)).toEqual([['down', 46]]);
    // still repeated: counted on
    write(lines, 'down');
    expect(written).toHaveLength(3);
    jest.advanceTimersByTime(10_000);
    expect(written.slice(3)).toEqual([['down', 1]]);
    jest.advanceTimersByTime(10_000);
    write(lines, 'down');
    expect(written.slice(4)).toEqual([['down', undefined]]);
  });

  it('are not lost when the process ends', () => {
    const lines = new RepeatedLines();
    for (let i = 0; i < 3; i++) write(lines, 'down');
    lines.flush();
    expect(written.slice(1)).toEqual([['down', 2]]);
  });

  it('of too many kinds are written as they come', () => {
    const lines = new RepeatedLines();
    for (let i = 0; i < 1_000; i++) write(lines, `line ${i}`);
    write(lines, 'further');
    write(lines, 'further');
    expect(written.slice(1_000)).toEqual([
      ['further', undefined],
      ['further', undefined],
    ]);
  });
});
