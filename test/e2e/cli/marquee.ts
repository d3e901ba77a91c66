import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readToEnd } from '../../../src/cli/admin-protocol.js';
import { untilReady } from '../../../scripts/proofs/support/ready.js';

const BIN = resolve('bin/marquee.mjs');
/** Machines that build and test at once are slow. */
const START_MS = 60_000;

/** What a command printed, and how it ended. */
export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** What a command is given beside its arguments; `uid` and `gid` have another user give it. */
export interface Given {
  input?: string;
  /** Where it is given. */
  cwd?: string;
  env?: Record<string, string>;
  uid?: number;
  gid?: number;
}

/** A data directory with nothing in it, and the `marquee` command as its user would give it, in an environment without more. */
export class Place {
  private service?: ChildProcess;

  private constructor(
    private readonly port: number,
    private readonly variables: Record<string, string>,
    readonly dataDir = mkdtempSync(join(tmpdir(), 'marquee-cli-')),
  ) {}

  static async make(variables: Record<string, string> = {}): Promise<Place> {
    return new Place(await freePort(), variables);
  }

  /** The same place on another port. */
  async on(): Promise<Place> {
    return new Place(await freePort(), this.variables, this.dataDir);
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** A file in the data directory. */
  path(name: string): string {
    return join(this.dataDir, name);
  }

  marquee(argv: string[], given: Given = {}): Promise<Ended> {
    return this.run(argv, given).ended;
  }

  /** A command, and how it ends; with `input` left out it reads nothing, with `open` its standard input stays open. */
  run(
    argv: string[],
    { input, env, open = false, ...user }: Given & { open?: boolean } = {},
  ): { child: ChildProcess; ended: Promise<Ended> } {
    const child = this.start(argv, env, user);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin!.on('error', () => undefined);
    if (!open) child.stdin!.end(input);
    const ended = once(child, 'close').then(([exitCode]: (number | null)[]) => ({
      exitCode,
      stdout: Buffer.concat(stdout).toString(),
      stderr: Buffer.concat(stderr).toString(),
    }));
    return { child, ended };
  }

  /**
   * What a command that needs the store prints with `--json`; throws when it fails. A running service is asked itself, which
   * is cheaper than a process that would hand the command over.
   */
  async json<T extends object = Record<string, string>>(argv: string[], options: { input?: string } = {}): Promise<T> {
    const line = [...argv, '--json'];
    const ended = await (this.service ? this.inside(line, options.input) : this.marquee(line, options));
    if (ended.exitCode !== 0) throw new Error(`marquee ${argv.join(' ')}: ${ended.stderr}`);
    return JSON.parse(ended.stdout) as T;
  }

  /** What the running service answers to a command, without the process that would hand it over. */
  async inside(argv: string[], stdin?: string): Promise<Ended> {
    const socket = createConnection({ path: this.path('admin.sock'), allowHalfOpen: true });
    socket.once('connect', () => socket.end(JSON.stringify({ argv, stdin })));
    return JSON.parse(await readToEnd(socket)) as Ended;
  }

  /** Starts the service and waits until it answers. */
  serve(): Promise<void> {
    return this.ready(this.start(['serve']));
  }

  /** Does the same with `npm start`; `stop` then sends the signal to npm. */
  serveWithNpm(): Promise<void> {
    return this.ready(this.spawn('npm', ['start']));
  }

  private async ready(service: ChildProcess): Promise<void> {
    this.service = service;
    let said = '';
    for (const stream of [service.stdout!, service.stderr!])
      stream.on('data', (chunk: Buffer) => (said += String(chunk)));
    await untilReady(this.port, service, START_MS).catch((cause: unknown) => {
      throw new Error(`the service did not start: ${said}`, { cause });
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { service } = this;
    this.service = undefined;
    if (!service || service.exitCode !== null) return;
    const ended = once(service, 'close');
    service.kill(signal);
    await ended;
  }

  /** Sends a signal to the service; its exit code follows if it ends. */
  signal(signal: NodeJS.Signals): Promise<number | null> {
    const service = this.service!;
    const ended = once(service, 'close').then(([exitCode]: (number | null)[]) => exitCode);
    service.kill(signal);
    return ended;
  }

  /** Ends the standard input of the service; its exit code follows when it ends. */
  endInput(): Promise<number | null> {
    const service = this.service!;
    const ended = once(service, 'close').then(([exitCode]: (number | null)[]) => exitCode);
    service.stdin!.end();
    return ended;
  }

  async leave(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private start(
    argv: string[],
    env: Record<string, string> = {},
    user: Pick<Given, 'uid' | 'gid' | 'cwd'> = {},
  ): ChildProcess {
    return this.spawn(process.execPath, [BIN, ...argv], env, user);
  }

  private spawn(
    program: string,
    argv: string[],
    env: Record<string, string> = {},
    user: Pick<Given, 'uid' | 'gid' | 'cwd'> = {},
  ): ChildProcess {
    const { PATH, HOME } = process.env;
    return spawn(program, argv, {
      stdio: 'pipe',
      ...user,
      env: { PATH, HOME, DATA_DIR: this.dataDir, PORT: String(this.port), ...this.variables, ...env },
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
