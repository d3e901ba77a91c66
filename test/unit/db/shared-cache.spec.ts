import type { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { SharedCache } from '../../../src/common/db/cache/shared-cache.js';

/** Notifications that arrive when the test says so. */
class Announcements {
  readonly connected = true;
  announce: (key: string) => void = () => undefined;
  interrupt: () => void = () => undefined;

  on(_: string, heard: (key: string) => void) {
    this.announce = heard;
    return () => undefined;
  }

  onInterruption(heard: () => void) {
    this.interrupt = heard;
  }
}

describe('SharedCache', () => {
  let announcements: Announcements;
  let cache: SharedCache<string>;
  beforeEach(() => {
    announcements = new Announcements();
    cache = new SharedCache<string>(announcements as unknown as DatabaseNotifications, 'channel', { max: 10 });
  });

  it('caches what was read while another entry was invalidated', () => {
    const keep = cache.beginRead();
    announcements.announce('other');
    keep('one', 'read');
    expect(cache.get('one')).toBe('read');
  });

  it('does not cache what was invalidated since the read began', () => {
    const keep = cache.beginRead();
    announcements.announce('one');
    keep('one', 'old');
    expect(cache.get('one')).toBeUndefined();
    cache.beginRead()('one', 'new');
    expect(cache.get('one')).toBe('new');
  });

  it.each([
    ['a message about all', () => announcements.announce('')],
    ['an interruption', () => announcements.interrupt()],
    [
      'more messages than it remembers',
      () =>
        ['one', ...Array.from({ length: 10_000 }, (_, n) => `other ${n}`)].forEach((key) =>
          announcements.announce(key),
        ),
    ],
  ])('does not cache a read after %s', (_, happens) => {
    const keep = cache.beginRead();
    happens();
    keep('one', 'old');
    expect(cache.get('one')).toBeUndefined();
  });
});
