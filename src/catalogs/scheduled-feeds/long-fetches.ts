import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../common/time/days.js';

/** A fetch that begins. */
interface WatchedFetch {
  /** Aborted when the fetch has become long and has no place. */
  signal: AbortSignal;
  /** To be called once, when the fetch has ended. */
  end: () => void;
}

/**
 * Few fetches of a process may take long at a time, so that files without an end leave room for those of others. All
 * others end after a while.
 */
@Injectable()
export class LongFetches {
  /** When a fetch counts as long, by the machine's time. */
  longAfterMs = 5 * MINUTE_MS;
  /** One less than the process fetches at a time. */
  places = 2;
  private running = 0;

  begin(): WatchedFetch {
    const crowded = new AbortController();
    let isLong = false;
    const becomesLong = setTimeout(() => {
      isLong = this.running < this.places;
      if (isLong) this.running++;
      else crowded.abort();
    }, this.longAfterMs);
    const end = () => {
      clearTimeout(becomesLong);
      if (isLong) this.running--;
    };
    return { signal: crowded.signal, end };
  }
}
