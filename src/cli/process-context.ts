import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreInUse } from '../common/db/embedded/lock.js';
import { Config, readConfig } from '../config.js';
import { adminPath, isPrivate } from './admin-path.js';
import { type Context, print } from './context.js';
import { Exit, Refusal } from './refusal.js';
import type { ProcessTerminal } from './terminal.js';
import { type CommandResult, type CommandRequest, readToEnd } from './admin-protocol.js';

/** How long a command waits for the embedded store while another command has it, or the service is starting or stopping. */
const PATIENCE_MS = 30_000;
const POLL_MS = 150;

/**
 * Runs commands in this process, on a store opened for them. Where a running service has the embedded store it runs the
 * command instead, and what the command printed there is printed here.
 */
export function processContext(argv: string[], terminal: ProcessTerminal): Context {
  const withStore = async (work: (config: Config) => Promise<void>): Promise<void> => {
    const config = withoutLogs(readConfig());
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      // A service that listens has the store. Trying it first saves the second that loading and opening take.
      const result = config.databaseUrl
        ? undefined
        : await runInService(config, { argv, stdin: terminal.givenPassword, cwd: process.cwd() });
      if (result) return printResult(result, terminal);
      try {
        return await work(config);
      } catch (error) {
        if (!(error instanceof StoreInUse) || performance.now() > deadline) throw error;
        await pause(POLL_MS);
      }
    }
  };
  return {
    terminal,
    perform: (options, work) =>
      withStore(async (config) => {
        // Loading the services takes a second, which `--help` and `request` need not wait for.
        const [{ openService }, { performOn }] = await Promise.all([import('../service.js'), import('./services.js')]);
        const service = await openService(config);
        try {
          print(terminal, options, await performOn(service.app, work));
        } finally {
          await service.close();
        }
      }),
    migrate: (options, describe) =>
      withStore(async (config) => {
        const { migrateStore } = await import('./migrate-store.js');
        print(terminal, options, describe(await migrateStore(config)));
      }),
  };
}

/** What the application logs is not part of a command's output. */
const withoutLogs = (config: Config): Config =>
  Object.freeze(Object.assign(new Config(), config, { logLevel: 'silent' as const }));

function printResult({ stdout, stderr, exitCode }: CommandResult, terminal: ProcessTerminal): void {
  terminal.out(stdout);
  terminal.err(stderr);
  if (exitCode !== 0) throw new Exit(exitCode);
}

/** Has the running service run the command; undefined where none listens. */
async function runInService({ dataDir }: Config, request: CommandRequest): Promise<CommandResult | undefined> {
  if (!existsSync(dataDir)) return undefined;
  const { path, folder } = adminPath(dataDir);
  if (folder && !isPrivate(folder)) return undefined;
  const socket = createConnection({ path, allowHalfOpen: true });
  let connected = false;
  socket.once('connect', () => {
    connected = true;
    socket.end(JSON.stringify(request));
  });
  try {
    return JSON.parse(await readToEnd(socket)) as CommandResult;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM')
      throw new Refusal('the running service belongs to another user; give this command as that user');
    if (!connected) return undefined;
    throw new Refusal('the running service ended before it answered; look whether the command was carried out');
  } finally {
    socket.destroy();
  }
}
