import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Clock } from '../../../src/common/time/clock.js';
import type { ServerConnection } from '../../../src/common/db/postgres/own-connection.js';
import { skewOf } from '../../../src/common/db/clock-skew.js';
import { ServerWatch, SkewLog } from '../../../src/common/db/postgres/server-watch.js';
import { ServerTime } from '../../../src/common/db/postgres/server-time.js';

/** A machine, a server and what is between them, whose times are moved by hand. */
class Scene {
  ticks = 5_000;
  /** Of the machine's and the server's clock, to be added to the ticks. */
  machine = 1_000_000;
  server = 1_000_000;
  readonly time = new ServerTime(
    () => this.ticks + this.machine,
    () => this.ticks,
  );

  /** A round trip in which the server looks at its clock after `there`, and whose answer arrives after `back`. */
  ask(there = 1, back = 1): void {
    const sentAt = this.ticks;
    this.ticks += there;
    const serverMs = this.ticks + this.server;
    this.ticks += back;
    this.time.observe(serverMs, sentAt, this.ticks);
  }

  /** How far the measured time is ahead of the server's. */
  get error(): number {
    return this.time.now() - this.ticks - this.server;
  }
}

describe('the time of a server', () => {
  let scene: Scene;
  beforeEach(() => void (scene = new Scene()));

  it("is the machine's until it is measured", () => {
    scene.server += 700;
    expect(scene.error).toBe(-700);
    expect(scene.time.skewMs).toBeUndefined();
    expect(scene.time.isSteady).toBe(true);
  });

  it.each([700, -700, 1_900, -1_900, 3_000, 60_000])('is measured whatever the machine says (%d ms)', (skew) => {
    scene.machine += skew;
    scene.ask();
    expect(scene.error).toBe(0);
    expect(scene.time.skewMs).toBe(skew);
    expect(new Clock(scene.time).ms()).toBe(scene.ticks + scene.server);
  });

  it('is measured by the quickest of the last answers', () => {
    scene.ask(400, 2);
    expect(Math.abs(scene.error)).toBe(199);
    for (let i = 0; i < 5; i++) scene.ask(1, 1);
    scene.ticks += 2_000; // what the first answer was wrong by is made good
    expect(scene.error).toBe(0);
    scene.ask(2, 700);
    expect(scene.error).toBe(0);
  });

  it("is not moved by the machine's clock, and cannot be relied on until it is measured again", () => {
    scene.ask();
    scene.machine += 60_000;
    expect(scene.error).toBe(0);
    expect(scene.time.isSteady).toBe(false);
    scene.ask();
    expect([scene.error, scene.time.isSteady, scene.time.skewMs]).toEqual([0, true, 60_000]);
  });

  it('cannot be relied on after the process was suspended, until it is measured again', () => {
    scene.ask();
    // the ticks stand still meanwhile, and everything else goes on
    scene.machine += 30_000;
    scene.server += 30_000;
    expect(scene.time.isSteady).toBe(false);
    scene.ask();
    expect([scene.error, scene.time.isSteady]).toEqual([0, true]);
  });

  it("follows the server's clock without a jump, and never goes back", () => {
    scene.ask();
    scene.server -= 1_000;
    let last = scene.time.now();
    for (let i = 0; i < 12; i++) {
      scene.ask();
      scene.ticks += 498;
      const now = scene.time.now();
      expect(now).toBeGreaterThan(last);
      expect(now - last).toBeLessThanOrEqual(502);
      last = now;
    }
    expect(Math.round(scene.error)).toBe(0);
  });

  it('is right when a process begins, even if its first answer was slow', async () => {
    let isFirst = true;
    const run = () => {
      // a server that does not answer is tried before the one that does
      scene.ticks += isFirst ? 3_000 : 1;
      isFirst = false;
      return Promise.resolve([{ now: scene.ticks + scene.server, readOnly: false, commitsWaiting: 0 }]);
    };
    const ticks = jest.spyOn(performance, 'now').mockImplementation(() => scene.ticks);
    const connection = { run, close: () => Promise.resolve(), renew: () => undefined };
    const watch = new ServerWatch(connection as unknown as ServerConnection, scene.time, () => undefined);
    try {
      await watch.begin();
      expect(Math.abs(scene.error)).toBeLessThan(1);
    } finally {
      ticks.mockRestore();
      await watch.stop();
    }
  });

  it('jumps where the server has another time altogether', () => {
    scene.ask();
    scene.server += 3_000;
    scene.ask();
    expect(scene.error).toBe(0);
  });
});

describe('a difference of clocks', () => {
  it.each([
    [0, 'ok'],
    [500, 'ok'],
    [-501, 'warned'],
    [1_900, 'warned'],
    [2_000, 'warned'],
    [-2_001, 'too much'],
    [60_000, 'too much'],
  ])('of %d ms is %s', (skewMs, state) => expect(skewOf(skewMs).state).toBe(state));

  it('is told with its size and direction', () => {
    expect(skewOf(-3_000).text).toBe(
      'the clock of this machine is 3.0 s behind the clock of PostgreSQL; the limit is 2 s, so this replica is not ready. Synchronize both clocks with NTP.',
    );
    expect(skewOf(700).text).toMatch(
      /^the clock of this machine is 0\.7 s ahead of the clock of PostgreSQL; above 2 s /,
    );
    expect(skewOf(undefined).text).toBe('');
  });

  it('does not enter and leave a state at its limit', () => {
    expect(skewOf(490, 'warned').state).toBe('warned');
    expect(skewOf(440, 'warned').state).toBe('ok');
    expect(skewOf(1_990, 'too much').state).toBe('too much');
    expect(skewOf(1_940, 'too much').state).toBe('warned');
  });
});

it('warns of a difference when it begins, changes its kind and ends, and once an hour', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  try {
    const time = { skewMs: 0 as number | undefined };
    let ticks = 0;
    const log = new SkewLog(time, () => ticks);
    const warnings = (skewMs: number, seconds: number) => {
      warn.mockClear();
      time.skewMs = skewMs;
      for (let i = 0; i < seconds * 2; i++) {
        ticks += 500;
        log.look();
      }
      return warn.mock.calls.map(([text]) => String(text).replace(/;.*/, ''));
    };
    expect(warnings(100, 60)).toEqual([]);
    expect(warnings(700, 60)).toEqual(['the clock of this machine is 0.7 s ahead of the clock of PostgreSQL']);
    expect(warnings(3_000, 60)).toEqual(['the clock of this machine is 3.0 s ahead of the clock of PostgreSQL']);
    expect(warnings(3_000, 3_600)).toHaveLength(1);
    expect(warnings(0, 60)).toEqual(['this machine and PostgreSQL agree on the time again']);
  } finally {
    warn.mockRestore();
  }
});
