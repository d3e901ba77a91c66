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

/** How long a command waits for its turn: another command has the store, or the service is about to start or to end. */
const PATIENCE_MS = 10_000;
const POLL_MS = 150;

/**
 * Carries commands out on a store opened for them. Where a running service holds the embedded store the command is handed
 * to it, and what it prints there is printed here.
 */
export function processContext(argv: string[], terminal: ProcessTerminal): Context {
  const inTurn = async (work: (config: Config) => Promise<void>): Promise<void> => {
    const config = quiet(readConfig());
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      // Who listens there has the store; asking first spares the second that loading and opening take.
      const answer = config.databaseUrl ? undefined : await forward(config, { argv, stdin: terminal.heard });
      if (answer) return pass(answer, terminal);
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
      inTurn(async (config) => {
        // What is behind the store takes a second to load, which `--help` and `request` do without.
        const [{ openService }, { performOn }] = await Promise.all([import('../service.js'), import('./services.js')]);
        const service = await openService(config);
        try {
          print(terminal, options, await performOn(service.app, work));
        } finally {
          await service.close();
        }
      }),
    migrate: (options, tell) =>
      inTurn(async (config) => {
        const { migrateStore } = await import('./migrate-store.js');
        print(terminal, options, tell(await migrateStore(config)));
      }),
  };
}

/** A command's output is its own; what the application logs is not part of it. */
const quiet = (config: Config): Config =>
  Object.freeze(Object.assign(new Config(), config, { logLevel: 'silent' as const }));

function pass({ stdout, stderr, exitCode }: CommandResult, terminal: ProcessTerminal): void {
  terminal.out(stdout);
  terminal.err(stderr);
  if (exitCode !== 0) throw new Exit(exitCode);
}

/** What the running service answers; undefined where none listens. */
async function forward({ dataDir }: Config, asked: CommandRequest): Promise<CommandResult | undefined> {
  if (!existsSync(dataDir)) return undefined;
  const { path, folder } = adminPath(dataDir);
  if (folder && !isPrivate(folder)) return undefined;
  const socket = createConnection({ path, allowHalfOpen: true });
  let connected = false;
  socket.once('connect', () => {
    connected = true;
    socket.end(JSON.stringify(asked));
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
