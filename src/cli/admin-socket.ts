import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { inBackground } from '../common/concurrency/background.js';
import { Config } from '../config/config.js';
import {
  type AdminPath,
  ensurePrivate,
  type CommandResult,
  isCommandRequest,
  type ProgressFrame,
  readToEnd,
} from './admin-protocol.js';
import { addConfigCommands, runningConfig } from './config.commands.js';
import { type Context, print } from './context.js';
import { newProgram, runCommand } from './run.js';
import { performOn } from './services.js';
import { addStoreCommands } from './store.commands.js';
import { CapturedTerminal } from './terminal.js';

const MAX_BYTES = 256 * 1024;
const READ_TIMEOUT_MS = 10_000;

/**
 * Accepts commands of this machine's user while the service runs. Only one process can open the embedded store, so
 * commands that need it must run in the service, and only the service knows its own configuration. Returns a function
 * that closes the socket once the running commands are done. If no socket can be opened, the service runs without it and
 * logs a warning.
 */
export async function openAdminSocket(
  { path, folder }: AdminPath,
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
    inBackground(
      work.finally(() => underway.delete(work)),
      'a command of the administration',
    );
  });
  try {
    if (folder) ensurePrivate(folder);
    await listenAt(server, path);
    server.on('error', (error) => logger.warn(error.message));
    return async () => {
      rmSync(path, { force: true });
      server.close();
      // Connections that have not sent their command by now are closed.
      for (const socket of open) socket.destroy();
      await Promise.all(underway);
    };
  } catch (error) {
    logger.warn(`Commands cannot reach this process: ${(error as Error).message}`);
    return async () => void server.close();
  }
}

/** Binds in a private folder and moves the socket to its path, replacing one left by a process that has exited. */
async function listenAt(server: Server, path: string): Promise<void> {
  const bindFolder = mkdtempSync(join(dirname(path), '.adm'));
  try {
    const bound = join(bindFolder, 's');
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
    rmSync(bindFolder, { recursive: true, force: true });
  }
}

async function serveCommand(app: INestApplicationContext, socket: Socket, onRead: () => void): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), READ_TIMEOUT_MS);
  const text = await readToEnd(socket, MAX_BYTES).finally(() => clearTimeout(timer));
  onRead();
  // A command that was interrupted or stopped does not read: its frames are left out instead of kept.
  const send = (progress: string) => {
    if (!socket.destroyed && !socket.writableNeedDrain)
      socket.write(`${JSON.stringify({ progress } satisfies ProgressFrame)}\n`);
  };
  const result = JSON.stringify(await runCommandRequest(app, text, send));
  if (socket.destroyed) return;
  await new Promise<void>((sent) => {
    socket.once('close', sent);
    socket.end(result);
  });
}

/**
 * Runs a command from the JSON of its request. Only commands that need the store can run this way. `onProgress` is called
 * if the request asks for progress.
 */
export async function runCommandRequest(
  app: INestApplicationContext,
  text: string,
  onProgress: (text: string) => void = () => undefined,
): Promise<CommandResult> {
  const request = parse(text);
  if (!isCommandRequest(request)) return { stdout: '', stderr: 'error: this is not a command\n', exitCode: 2 };
  const { stdin, cwd, width, unicode, progress } = request;
  const terminal = new CapturedTerminal(stdin, cwd, width, unicode, progress ? onProgress : undefined);
  const program = newProgram(terminal);
  addStoreCommands(program, contextIn(app, terminal));
  addConfigCommands(program, terminal, (options) => print(terminal, options, runningConfig(app.get(Config))));
  const exitCode = await runCommand(program, request.argv, terminal);
  return { stdout: terminal.stdout, stderr: terminal.stderr, exitCode };
}

const contextIn = (app: INestApplicationContext, terminal: CapturedTerminal): Context => ({
  terminal,
  async perform(options, work) {
    print(terminal, options, await performOn(app, work));
  },
  /** Nothing to do: the service migrated its store when it started. */
  async migrate(options, describe) {
    print(terminal, options, describe([]));
  },
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
