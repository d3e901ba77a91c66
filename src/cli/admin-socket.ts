import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import type { Config } from '../config.js';
import { adminPath, takePrivate } from './admin-path.js';
import { type Context, print } from './context.js';
import { newProgram, runCommand } from './run.js';
import { performOn } from './services.js';
import { addStoreCommands } from './store-commands.js';
import { Capture } from './terminal.js';
import { type CommandResult, isCommandRequest, readToEnd } from './admin-protocol.js';

const MOST_BYTES = 256 * 1024;
const PATIENCE_MS = 10_000;

/**
 * Takes commands from this machine's user while the service runs: the embedded store belongs to one process at a time, so
 * that a command which needs it has to be carried out in here. Returns what ends it, after the commands underway.
 * Without a socket the service serves all the same.
 */
export async function openAdminSocket(
  config: Pick<Config, 'dataDir'>,
  app: INestApplicationContext,
): Promise<() => Promise<void>> {
  const logger = new Logger('Administration');
  const open = new Set<Socket>();
  const underway = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
    const work = serveCommand(app, socket, () => open.delete(socket)).catch(() => void socket.destroy());
    underway.add(work);
    void work.finally(() => underway.delete(work));
  });
  try {
    const { path, folder } = adminPath(config.dataDir);
    if (folder) takePrivate(folder);
    await listenAt(server, path);
    server.on('error', (error) => logger.warn(error.message));
    return async () => {
      rmSync(path, { force: true });
      server.close();
      // Whoever has not asked by now is not waited for.
      for (const socket of open) socket.destroy();
      await Promise.all(underway);
    };
  } catch (error) {
    logger.warn(`Commands cannot be carried out while the service runs: ${(error as Error).message}`);
    return async () => void server.close();
  }
}

/** Binds where nobody else can enter and moves the socket to its place, in place of one left by a process that is gone. */
async function listenAt(server: Server, path: string): Promise<void> {
  const doorstep = mkdtempSync(join(dirname(path), '.adm'));
  try {
    const bound = join(doorstep, 's');
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(bound, () => {
        server.off('error', reject);
        resolve();
      });
    });
    chmodSync(bound, 0o600);
    renameSync(bound, path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(doorstep, { recursive: true, force: true });
  }
}

async function serveCommand(app: INestApplicationContext, socket: Socket, begins: () => void): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  const text = await readToEnd(socket, MOST_BYTES).finally(() => clearTimeout(timer));
  begins();
  const answer = JSON.stringify(await carryOut(app, text));
  if (socket.destroyed) return;
  await new Promise<void>((sent) => {
    socket.once('close', sent);
    socket.end(answer);
  });
}

/** Runs a command that came as text; only those on the store exist here. */
export async function carryOut(app: INestApplicationContext, text: string): Promise<CommandResult> {
  const asked = parse(text);
  if (!isCommandRequest(asked)) return { stdout: '', stderr: 'error: this is no command\n', exitCode: 2 };
  const terminal = new Capture(asked.stdin);
  const program = newProgram(terminal);
  addStoreCommands(program, contextIn(app, terminal));
  const exitCode = await runCommand(program, asked.argv, terminal);
  return { stdout: terminal.stdout, stderr: terminal.stderr, exitCode };
}

const contextIn = (app: INestApplicationContext, terminal: Capture): Context => ({
  terminal,
  async perform(options, work) {
    print(terminal, options, await performOn(app, work));
  },
  /** The service migrated its store when it started. */
  async migrate(options, tell) {
    print(terminal, options, tell([]));
  },
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
