import { Turns, type Patience } from './turns.js';

/** Lets only so much work go on at a time for each key; what is beyond it waits in its order. Work for other keys does not wait for it. */
export class KeyedTurns {
  private readonly turns = new Map<string, Turns>();

  constructor(private readonly atOnce: number) {}

  /** How much waits for all keys together. */
  get waits(): number {
    let waits = 0;
    for (const turns of this.turns.values()) waits += turns.waits;
    return waits;
  }

  /** Whether work for this key would begin, or wait behind less than so much. */
  hasRoom(key: string, mostWaiting: number): boolean {
    return this.turns.get(key)?.hasRoom(mostWaiting) ?? true;
  }

  /** Runs the work when it is its turn for this key; rejects with the refusal when it is not in time. */
  async run<R>(key: string, work: () => Promise<R>, patience: Patience): Promise<R> {
    const turns = this.turns.get(key) ?? new Turns(this.atOnce);
    this.turns.set(key, turns);
    try {
      return await turns.run(work, patience);
    } finally {
      if (turns.isIdle) this.turns.delete(key);
    }
  }
}
