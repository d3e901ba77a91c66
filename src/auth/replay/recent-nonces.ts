/** Digests of one second of timestamps. */
export interface DigestsOfSecond {
  timestamp: number;
  digests: string[];
}

/** The nonces that this process accepted recently, by the second of their timestamps. */
export class RecentNonces {
  private readonly seconds = new Map<number, string[]>();

  add(timestamp: number, digest: string): void {
    const digests = this.seconds.get(timestamp);
    if (digests) digests.push(digest);
    else this.seconds.set(timestamp, [digest]);
  }

  /** Copies of the nonces with this timestamp and later ones. */
  since(second: number): DigestsOfSecond[] {
    return [...this.seconds]
      .filter(([timestamp]) => timestamp >= second)
      .map(([timestamp, digests]) => ({ timestamp, digests: [...digests] }));
  }

  deleteBefore(second: number): void {
    for (const timestamp of [...this.seconds.keys()]) if (timestamp < second) this.seconds.delete(timestamp);
  }
}
