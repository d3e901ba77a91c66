import type { TimedStep } from '../../../src/accounts/times/timed-work.js';
import { inOrder, type FoundSteps } from '../../../src/workbench/clocks/advance-test-clock.job.js';

const at = (day: number, id = `${day}`): TimedStep => ({
  id,
  at: `2026-10-${String(day).padStart(2, '0')}T00:00:00.000Z`,
  run: async () => undefined,
});

const found = (name: string, days: number[], repeats = false): FoundSteps => ({
  work: { name, repeats },
  steps: days.map((day) => at(day)),
});

const shown = (all: FoundSteps[], limit = 10) => inOrder(all, limit).map(({ work, id }) => `${work} ${id}`);

describe('the order of what is due', () => {
  it('is the order of time, over all works', () => {
    expect(shown([found('posts', [1, 4, 5]), found('others', [2, 4])])).toEqual([
      'posts 1',
      'others 2',
      'posts 4',
      'others 4',
      'posts 5',
    ]);
  });

  it('ends where a work may have more', () => {
    expect(shown([found('posts', [1, 3, 6]), found('others', [2, 7])], 3)).toEqual([
      'posts 1',
      'others 2',
      'posts 3',
      'posts 6',
    ]);
  });

  it('ends with the first step that may make others due', () => {
    expect(shown([found('posts', [1, 3]), found('audiences', [2, 4], true)])).toEqual(['posts 1', 'audiences 2']);
  });

  it('is empty when nothing is due', () => {
    expect(shown([found('posts', []), found('audiences', [], true)])).toEqual([]);
  });
});
