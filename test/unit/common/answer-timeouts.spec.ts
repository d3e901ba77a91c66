import { setTimeout as pause } from 'node:timers/promises';
import { AnswerTimeouts } from '../../../src/common/concurrency/answer-timeouts.js';

/** Holds the process up, as a large answer or a collection of garbage does. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('timeouts of answers', () => {
  it('hands on answers and failures', async () => {
    const timeouts = new AnswerTimeouts(100);
    await expect(timeouts.race(Promise.resolve('yes'))).resolves.toBe('yes');
    await expect(timeouts.race(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('ends when no answer comes', async () => {
    await expect(new AnswerTimeouts(100).race(new Promise(() => undefined))).rejects.toThrow('no answer within 100 ms');
  });

  it('does not expire because this process was blocked', async () => {
    const timeouts = new AnswerTimeouts(100);
    const answer = timeouts.race(pause(60, 'late because of us'));
    block(700);
    await expect(answer).resolves.toBe('late because of us');
  });
});
