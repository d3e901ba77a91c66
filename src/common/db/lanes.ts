import type { ClientConfig, QueryConfig } from 'pg';
import { corkForThisTurn } from '../turn.js';
import { ask, type Answer } from './prepared.js';
import { WireClient } from './wire-client.js';

interface Lane {
  readonly opened: Promise<WireClient>;
  client?: WireClient;
  /** Statements that were given to it and not answered yet. */
  underway: number;
}

/**
 * A few connections that statements outside transactions share, many underway on each: the next one is sent without
 * waiting for the answer to the one before. A slow statement holds up those behind it on its lane, so large answers
 * and jobs go elsewhere. The connections are none of the pool's, whose clients do not pipeline.
 */
export class Lanes {
  private readonly lanes: Lane[] = [];
  private closed = false;

  constructor(
    private readonly settings: ClientConfig,
    private readonly most: number,
  ) {}

  /** Runs a statement on the lane that has least to do. */
  query(config: QueryConfig): Promise<Answer> {
    if (this.closed) return Promise.reject(new Error('The connections to the database are closed.'));
    const lane = this.emptiest();
    // counted before anything is awaited, so that a burst spreads over the lanes
    lane.underway++;
    return this.ask(lane, config).finally(() => lane.underway--);
  }

  /** Ends the connections, after what is underway on them has been answered. */
  async close(): Promise<void> {
    this.closed = true;
    const clients = await Promise.allSettled(this.lanes.splice(0).map((lane) => lane.opened));
    await Promise.all(clients.flatMap((opened) => (opened.status === 'fulfilled' ? [opened.value.end()] : [])));
  }

  private async ask(lane: Lane, config: QueryConfig): Promise<Answer> {
    const client = lane.client ?? (await lane.opened);
    corkForThisTurn(client.stream);
    return ask(client, config);
  }

  private emptiest(): Lane {
    const free = this.lanes.reduce<Lane | undefined>((a, b) => (a && a.underway <= b.underway ? a : b), undefined);
    return free && (free.underway === 0 || this.lanes.length >= this.most) ? free : this.open();
  }

  private open(): Lane {
    const client = new WireClient({ ...this.settings, pipeline: true });
    const lane: Lane = { opened: client.connect().then(() => client), underway: 0 };
    const drop = () => {
      const index = this.lanes.indexOf(lane);
      if (index >= 0) this.lanes.splice(index, 1);
    };
    // pg fails the statements of a lost connection; all that is left to do here is not to use it again
    client.on('error', drop);
    client.on('end', drop);
    lane.opened.then(() => void (lane.client = client), drop);
    this.lanes.push(lane);
    return lane;
  }
}
