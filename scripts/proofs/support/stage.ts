import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open = new Set<Stage>();

/** What a proof has started and written: all of it is ended and removed with the stage, last first. */
export class Stage {
  /** A folder of its own, which other users may pass through but not list: PostgreSQL does not run as root. */
  readonly folder = mkdtempSync(join(tmpdir(), 'marquee-proof-'));
  private readonly steps: (() => unknown)[] = [];
  private readonly children = new Map<ChildProcess, NodeJS.Signals>();
  private over = false;

  constructor() {
    chmodSync(this.folder, 0o711);
    open.add(this);
  }

  /** Something to do when the stage ends, however it ends. */
  atEnd(step: () => unknown): void {
    this.steps.push(step);
  }

  /** A process that gets this signal if this one has to leave without ceremony. */
  owns(child: ChildProcess, signal: NodeJS.Signals): void {
    // A proof may go on for a moment while its stage is being taken down.
    if (this.over) child.kill(signal);
    this.children.set(child, signal);
    child.once('exit', () => this.children.delete(child));
  }

  /** Ends everything; a step that fails does not keep the others from being taken. */
  async end(): Promise<void> {
    this.over = true;
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        console.error(error);
      }
    }
    this.abandon();
  }

  /** Tells every process to end and waits for none. */
  abandon(): void {
    this.over = true;
    for (const [child, signal] of this.children) {
      child.kill('SIGCONT');
      child.kill(signal);
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    open.delete(this);
  }
}

/** Calls `work` with a stage, which is over when `work` is. */
export async function withStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = new Stage();
  try {
    return await work(stage);
  } finally {
    await stage.end();
  }
}

/** On Ctrl-C and the like everything is ended before this process is; on a crash at least told to. */
export function endStagesWithProcess(): void {
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    for (const stage of open) await stage.end();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());
  process.on('exit', () => open.forEach((stage) => stage.abandon()));
}
