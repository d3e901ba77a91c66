/** How long repetitions of a line are counted before a line tells their number. */
const COUNTED_MS = 10_000;
/** Maximum number of lines whose repetitions are counted; further ones are written as they come. */
const MAX_COUNTED = 1_000;

interface Line {
  repetitions: number;
  /** Writes the latest one. */
  write: () => void;
}

/** Writes equal lines once: further ones within ten seconds become one line with their number. */
export class RepeatedLines {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly countedMs = COUNTED_MS) {}

  /** `key` is equal for equal lines; `write` takes the number of repetitions since the last line. */
  write(key: string, write: (repetitions?: number) => void): void {
    const known = this.lines.get(key);
    if (known) {
      known.repetitions++;
      known.write = () => write(known.repetitions);
      return;
    }
    write();
    if (this.lines.size < MAX_COUNTED) this.count(key);
  }

  private count(key: string): void {
    const line: Line = { repetitions: 0, write: () => undefined };
    this.lines.set(key, line);
    setTimeout(() => {
      this.lines.delete(key);
      if (line.repetitions === 0) return;
      line.write();
      this.count(key);
    }, this.countedMs).unref();
  }

  /** Writes the lines that are still counted, before the process ends. */
  flush(): void {
    for (const { repetitions, write } of this.lines.values()) if (repetitions > 0) write();
    this.lines.clear();
  }
}
