import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilReady } from '../../../scripts/proofs/support/ready.js';

/** A busy machine takes its time. */
const START_MS = 90_000;

interface Answered {
  status: number;
  headers: object;
  text: string;
}

/** The service as it is shipped, in a process and a data directory of its own. */
export class Served {
  /** All that were started; one that is slow to start must not outlive the tests, or Jest would wait for it. */
  static readonly all: Served[] = [];
  /** What it wrote to standard output. */
  said = '';

  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
    readonly dataDir: string,
  ) {}

  static async start(environment: Record<string, string> = {}, dataDir = freshDir()): Promise<Served> {
    const port = await freePort();
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, ['bin/service.mjs'], {
      env: { PATH, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const served = new Served(child, port, dataDir);
    child.stdout.on('data', (chunk) => (served.said += String(chunk)));
    Served.all.push(served);
    await untilReady(port, child, START_MS);
    return served;
  }

  get url() {
    return `http://localhost:${this.port}`;
  }

  /** As `fetch`, which would not let us choose a Host. */
  ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const answered = (response: IncomingMessage) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      };
      request({ host: '127.0.0.1', port: this.port, method, path, headers }, answered).on('error', reject).end();
    });
  }

  credentials(): Record<string, string> {
    return JSON.parse(readFileSync(join(this.dataDir, 'demo-credentials.json'), 'utf8')) as Record<string, string>;
  }

  /** The link that the command line prints, the same every time. */
  link(): string {
    return (this.printed ??= this.printLink());
  }
  private printed?: string;

  /** The key in it. */
  key(): string {
    return this.link().split('#key=')[1];
  }

  private printLink(): string {
    const { PATH = '' } = process.env;
    const env = { PATH, DATA_DIR: this.dataDir, PORT: String(this.port) };
    return execFileSync(process.execPath, ['bin/marquee.mjs', 'docs'], { env, encoding: 'utf8' }).trim();
  }

  async stop() {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = new Promise((resolve) => this.process.once('exit', resolve));
      this.process.kill('SIGTERM');
      await ended;
    }
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

export const freshDir = () => mkdtempSync(join(tmpdir(), 'marquee-docs-'));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
