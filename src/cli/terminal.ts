import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { displaysUnicode } from './environment.js';
import { rewrittenLine } from './progress.js';
import { Exit, CommandRefusal } from './refusal.js';

/** The input and output of a command: the terminal of this process or, in the service, the request and its result. */
export interface Terminal {
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** A new password, from standard input or a prompt; undefined where none is given. */
  password(fromInput: boolean): Promise<string | undefined>;
  /** The width of standard output in columns; undefined where it is no terminal. */
  readonly width?: number;
  /** True if standard output is a terminal that displays more than ASCII. */
  readonly isUnicode: boolean;
  /** Resolves a path against the working directory of the user. */
  path(given: string): string;
  readonly isWatched: boolean;
  /** Shows the progress of a long command; without a text clears it. */
  progress(text?: string): void;
}

/** The terminal of this process. */
export class ProcessTerminal implements Terminal {
  /** The password, to be sent with the command if the service runs it. */
  givenPassword?: string;
  /** True if standard error may be coloured. */
  readonly coloured = process.stderr.isTTY && process.stderr.hasColors();
  readonly isWatched = process.stderr.isTTY === true;
  readonly width = process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
  readonly isUnicode = process.stdout.isTTY === true && displaysUnicode();

  /** The lines of standard input, opened by the first prompt. */
  private lines?: AsyncIterator<string>;

  constructor() {
    // The reader of our output may have exited (`| head`).
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
        process.exit(0);
      });
    }
  }

  out(text: string | Uint8Array): void {
    process.stdout.write(text);
  }

  err(text: string): void {
    process.stderr.write(text);
  }

  /** All of standard input. */
  async input(): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Prompts for a line on the terminal or on standard input; undefined where none arrives in time. */
  async line(question: string, timeoutMs: number): Promise<string | undefined> {
    this.err(question);
    this.lines ??= createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]();
    const next = await Promise.race([this.lines.next(), pause(timeoutMs, undefined, { ref: false })]);
    return next === undefined || next.done === true ? undefined : next.value;
  }

  async password(fromInput: boolean): Promise<string | undefined> {
    if (fromInput) this.givenPassword = (await this.input()).replace(/\r?\n$/, '');
    else if (process.stdin.isTTY && process.stderr.isTTY) this.givenPassword = await askTwice();
    return this.givenPassword;
  }

  path(given: string): string {
    return resolve(given);
  }

  /** On a terminal each line replaces the previous one. */
  progress(text?: string): void {
    if (this.isWatched) this.err(rewrittenLine(text, process.stderr.columns));
    else if (text !== undefined) this.err(`${text}\n`);
  }

  /** Resolves when all output has been handed to the system. */
  async drained(): Promise<void> {
    for (const stream of [process.stdout, process.stderr]) await new Promise((left) => stream.write('', left));
  }
}

async function askTwice(): Promise<string | undefined> {
  const first = await ask('Password (empty for none): ');
  if (first === '') return undefined;
  if ((await ask('Once more: ')) !== first) throw new CommandRefusal('the two passwords differ');
  return first;
}

/** Prompts on the terminal without echoing the input. */
function ask(question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output: discarded, terminal: true });
    process.stderr.write(question);
    const end = (finish: () => void) => {
      lines.removeAllListeners('close');
      lines.close();
      process.stderr.write('\n');
      finish();
    };
    lines.once('line', (line) => end(() => resolve(line)));
    lines.once('SIGINT', () => end(() => reject(new Exit(130))));
    lines.once('close', () => end(() => reject(new CommandRefusal('no password was entered'))));
  });
}

/** Collects the output of a command that the service runs for another process. */
export class CapturedTerminal implements Terminal {
  stdout = '';
  stderr = '';

  constructor(
    private readonly given?: string,
    private readonly cwd = process.cwd(),
    readonly width?: number,
    readonly isUnicode = false,
    private readonly onProgress?: (text: string) => void,
  ) {}

  get isWatched(): boolean {
    return this.onProgress !== undefined;
  }

  out(text: string | Uint8Array): void {
    this.stdout += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  }

  err(text: string): void {
    this.stderr += text;
  }

  async password(): Promise<string | undefined> {
    return this.given;
  }

  path(given: string): string {
    return resolve(this.cwd, given);
  }

  /** The process that shows progress clears it when the command has ended. */
  progress(text?: string): void {
    if (text !== undefined) this.onProgress?.(text);
  }
}
