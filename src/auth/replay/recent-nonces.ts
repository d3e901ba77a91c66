/** The digests that this process let pass lately, by the second of their timestamps. */
export class RecentNonces {
  private readonly seconds = new Map<number, string[]>();

  add(timestamp: number, digest: string): void {
    const known = this.seconds.get(timestamp);
    if (known) known.push(digest);
    else this.seconds.set(timestamp, [digest]);
  }

  since(second: number): { timestamp: number; digests: string[] }[] {
    return [...this.seconds]
      .filter(([timestamp]) => timestamp >= second)
      .map(([timestamp, digests]) => ({ timestamp, digests: [...digests] }));
  }

  forgetBefore(second: number): void {
    for (const timestamp of [...this.seconds.keys()]) if (timestamp < second) this.seconds.delete(timestamp);
  }
}
