import { ConcurrencyLimiter } from '../../../src/webhooks/deliveries/concurrency-limiter.js';

const QUICK = { answered: true, ms: 5 };
const SLOW = { answered: true, ms: 2_000 };
const NONE = { answered: false, ms: 10_000 };

const lanes = (held = 100, heldOfSlow = 10) => new ConcurrencyLimiter<number>({ held, heldOfSlow });
const items = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Takes whatever may be taken; answers how much that was. */
function takeAll(of: ConcurrencyLimiter<number>, id: string): number {
  let taken = 0;
  while (of.take(id) !== undefined) taken++;
  return taken;
}

describe('how much a webhook has under way', () => {
  it('is four at first, in the order in which it came', () => {
    const own = lanes();
    own.hold('a', items(8), true);
    expect([own.take('a'), own.take('a'), own.take('a'), own.take('a'), own.take('a')]).toEqual([
      0,
      1,
      2,
      3,
      undefined,
    ]);
    expect([own.inProgress, own.freeSlots, own.take('b')]).toEqual([4, 92, undefined]);
  });

  it('grows by one with each quick answer, to 64', () => {
    const own = lanes(1_000);
    own.hold('a', items(500), true);
    takeAll(own, 'a');
    own.finish('a', QUICK);
    expect(takeAll(own, 'a')).toBe(2);
    for (let n = 0; n < 200; n++) {
      own.finish('a', QUICK);
      takeAll(own, 'a');
    }
    expect(own.inProgress).toBe(64);
  });

  it.each([
    ['slow answers', SLOW],
    ['none', NONE],
  ])('is halved with %s, down to one, which is remembered when it is idle', (_what, fared) => {
    const own = lanes();
    own.hold('a', items(4), false);
    takeAll(own, 'a');
    for (let n = 0; n < 4; n++) own.finish('a', fared);
    expect([own.freeSlots, own.inProgress]).toEqual([100, 0]);
    expect(own.freeSlotsByWebhook().get('a')).toBe(1);
    own.hold('a', items(1), true);
    expect([own.freeSlotsByWebhook().get('a'), takeAll(own, 'a')]).toEqual([0, 1]);
  });

  it('recovers with quick answers', () => {
    const own = lanes();
    own.hold('a', items(2), false);
    takeAll(own, 'a');
    own.finish('a', NONE);
    expect(own.freeSlotsByWebhook().get('a')).toBeDefined();
    for (let n = 0; n < 4; n++) {
      own.hold('a', items(1), false);
      own.take('a');
      own.finish('a', QUICK);
    }
    own.finish('a', QUICK);
    expect(own.freeSlotsByWebhook().has('a')).toBe(false);
  });

  it('leaves a quarter to others, however many quick ones there are', () => {
    const own = lanes(1_024, 512);
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) {
      own.hold(id, items(200), true);
      takeAll(own, id);
      for (let n = 0; n < 100; n++) {
        own.finish(id, QUICK);
        takeAll(own, id);
      }
    }
    // all that they may hold, which then hangs
    for (const id of ids) own.hold(id, items(own.freeSlotsByWebhook().get(id)!), true);
    expect(own.freeSlots).toBe(256);
    expect(ids.map((id) => own.freeSlotsByWebhook().get(id))).toEqual([0, 0, 0, 0]);
    own.hold('e', items(own.initialSlots), true);
    expect(takeAll(own, 'e')).toBe(4);
  });

  it('is not changed by what nothing is known of', () => {
    const own = lanes();
    own.hold('a', items(4), false);
    takeAll(own, 'a');
    for (let n = 0; n < 4; n++) own.finish('a');
    expect(own.freeSlotsByWebhook().has('a')).toBe(false);
    expect(own.freeSlots).toBe(100);
  });
});

describe('what is held', () => {
  it('of all slow webhooks together is bounded, and each has its turn', () => {
    const own = lanes(100, 2);
    for (const id of ['a', 'b', 'c']) {
      own.hold(id, items(4), false);
      takeAll(own, id);
      for (let n = 0; n < 4; n++) own.finish(id, NONE);
    }
    expect(own.freeSlotsByWebhook()).toEqual(
      new Map([
        ['a', 1],
        ['b', 1],
        ['c', 0],
      ]),
    );
    own.hold('a', items(1), false);
    expect(own.freeSlotsByWebhook()).toEqual(
      new Map([
        ['a', 0],
        ['b', 1],
        ['c', 0],
      ]),
    );
    own.take('a');
    own.finish('a', NONE);
    expect(own.freeSlotsByWebhook()).toEqual(
      new Map([
        ['b', 1],
        ['c', 1],
        ['a', 0],
      ]),
    );
  });

  it('is looked for again when it runs short, where there was more', () => {
    const own = lanes();
    own.hold('a', items(8), true);
    takeAll(own, 'a');
    expect(own.finish('a', QUICK)).toBe(false);
    takeAll(own, 'a');
    expect(own.finish('a', QUICK)).toBe(true);
    const done = lanes();
    done.hold('a', items(1), false);
    done.take('a');
    expect(done.finish('a', QUICK)).toBe(false);
  });

  it('can be given up as far as nobody has taken it', () => {
    const own = lanes();
    own.hold('a', items(6), true);
    own.hold('b', items(1), true);
    own.take('a');
    expect(own.empty()).toHaveLength(6);
    expect([own.freeSlots, own.inProgress, own.take('a'), own.take('b')]).toEqual([99, 1, undefined, undefined]);
    own.finish('a', QUICK);
    expect(own.freeSlots).toBe(100);
  });
});
