import { setTimeout as pause } from 'node:timers/promises';
import { CommandTimeouts } from '../../../src/common/redis/command-timeouts.js';

/** Holds the process up, as a large answer or a collection of garbage does. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('patience', () => {
  it('hands on answers and failures', async () => {
    const patience = new CommandTimeouts(100);
    await expect(patience.await(Promise.resolve('yes'))).resolves.toBe('yes');
    await expect(patience.await(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('ends when no answer comes', async () => {
    await expect(new CommandTimeouts(100).await(new Promise(() => undefined))).rejects.toThrow(
      'no answer within 100 ms',
    );
  });

  it('does not take our own standing still for a silence of the other side', async () => {
    const patience = new CommandTimeouts(100);
    const answer = patience.await(pause(60, 'late because of us'));
    block(700);
    await expect(answer).resolves.toBe('late because of us');
  });
});
