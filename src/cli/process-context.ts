import { setTimeout as pause } from 'node:timers/promises';
import { StoreInUse } from '../common/db/embedded/lock.js';
import { Config, readConfig } from '../config/config.js';
import {
  adminPath,
  replicaAdminPath,
  type AdminPath,
  isPrivate,
  type CommandResult,
  type CommandRequest,
  progressOf,
  readToEnd,
} from './admin-protocol.js';
import { type Context, print } from './context.js';
import { Exit, CommandRefusal } from './refusal.js';
import type { ProcessTerminal } from './terminal.js';
import { createConnection } from 'node:net';

/**
 * The time a command waits for the embedded store while another command uses it, or while the service starts or stops. The
 * first command of a store builds it, which takes a busy machine more than half a minute.
 */
const PATIENCE_MS = 90_000;
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
      // A service that listens has the store. Asking it first saves the second that loading and opening take.
      const result = config.databaseUrl
        ? undefined
        : await runInService(
            adminPath(config.dataDir),
            {
              argv,
              stdin: terminal.givenPassword,
              cwd: process.cwd(),
              width: terminal.width,
              unicode: terminal.isUnicode,
            },
            terminal.isWatched ? (text) => terminal.progress(text) : undefined,
          );
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
        // Imported on demand: loading the services takes a second, which `--help` and `request` should not wait for.
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

/** Prints the configuration of the running service; a Refusal where none runs. */
export async function askRunning(argv: string[], terminal: ProcessTerminal): Promise<void> {
  const config = readConfig();
  const paths = [adminPath(config.dataDir), replicaAdminPath(config)];
  for (const path of config.databaseUrl ? paths.reverse() : paths) {
    const result = await runInService(path, { argv, width: terminal.width });
    if (result) return printResult(result, terminal);
  }
  throw new CommandRefusal(
    `no service of this user runs with DATA_DIR ${config.dataDir} or on ${config.host}:${config.port}; ` +
      'without --running, the command shows the configuration of this environment',
  );
}

/** Discards log lines, which are not part of a command's output. */
const withoutLogs = (config: Config): Config =>
  Object.freeze(Object.assign(new Config(), config, { logLevel: 'silent' as const }));

/** Prints the output that a command had in the service, and fails if it failed. */
function printResult({ stdout, stderr, exitCode }: CommandResult, terminal: ProcessTerminal): void {
  terminal.out(stdout);
  terminal.err(stderr);
  if (exitCode !== 0) throw new Exit(exitCode);
}

/**
 * Runs the command in the running service; undefined where none listens. `onProgress` is called with the progress,
 * and without a text once it has ended.
 */
export async function runInService(
  { path, folder }: AdminPath,
  request: Omit<CommandRequest, 'progress'>,
  onProgress?: (text?: string) => void,
): Promise<CommandResult | undefined> {
  if (folder && !isPrivate(folder)) return undefined;
  const socket = createConnection({ path, allowHalfOpen: true });
  let connected = false;
  socket.once('connect', () => {
    connected = true;
    socket.end(JSON.stringify({ ...request, progress: onProgress && true } satisfies CommandRequest));
  });
  let isShown = false;
  const onLine = (line: string) => {
    const text = progressOf(line);
    if (text === undefined) return;
    isShown = true;
    onProgress?.(text);
  };
  try {
    return JSON.parse(await readToEnd(socket, Infinity, onLine)) as CommandResult;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM')
      throw new CommandRefusal('the running service belongs to another user; run this command as that user');
    if (!connected) return undefined;
    throw new CommandRefusal('the running service ended before it answered; check whether the command took effect');
  } finally {
    socket.destroy();
    if (isShown) onProgress?.();
  }
}
