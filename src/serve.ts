import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openAdminSocket } from './cli/admin-socket.js';
import { StoreInUse } from './common/db/embedded/lock.js';
import { Jobs } from './common/jobs/jobs.js';
import { type Config, ConfigError, readConfig, withoutSlash } from './config.js';
import { ReplayProtection } from './auth/replay/replay-protection.js';
import { CREDENTIALS_FILE } from './demo/credentials-file.js';
import { seedDemo } from './demo/demo.js';
import { Lifecycle } from './operations/lifecycle.js';
import { openService, type Service } from './service.js';

/** A stop that takes longer than this is cut short. */
const HARD_STOP_MS = 25_000;

/** Serves until it is told to stop; what keeps it from starting is told in plain words. */
export async function serve(): Promise<void> {
  try {
    const config = readConfig();
    const service = await openService(config);
    if (config.demo) await seedDemo(service.app, config);
    await service.app.get(ReplayProtection).start();
    await service.app.listen(config.port, config.host);
    // On a server commands have connections of their own.
    const closeAdmin = service.store.embedded ? await openAdminSocket(config, service.app) : undefined;
    await service.app.get(Jobs).start();
    stopOnSignals(config, service, closeAdmin);
    greet(config);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StoreInUse || isListenError(error))) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

const isListenError = (error: unknown): error is Error =>
  error instanceof Error &&
  ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes((error as NodeJS.ErrnoException).code ?? '');

/** What a person wants to know first; operators get the log lines. */
function greet(config: Config): void {
  if (config.production) return;
  const credentials = join(config.dataDir, CREDENTIALS_FILE);
  // Where the command line would not look by itself.
  const named = config.dataDir === resolve('data') ? '' : ` --credentials ${credentials}`;
  const lines = [
    'Marquee is ready.',
    '',
    `  API             ${withoutSlash(config.adsBaseUrl)}/12/accounts`,
    `  Sandbox         ${withoutSlash(config.adsSandboxBaseUrl)}/12/accounts`,
    `  Swagger UI      ${withoutSlash(config.baseUrl)}/docs`,
    ...(existsSync(credentials)
      ? [`  Credentials     ${credentials}`, '', `  Try             npx marquee request GET /12/accounts${named}`]
      : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** On SIGTERM and SIGINT: not ready any more, answering still, then closed. */
function stopOnSignals(config: Config, service: Service, closeAdmin?: () => Promise<void>): void {
  const stop = async () => {
    const lifecycle = service.app.get(Lifecycle);
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    setTimeout(() => process.exit(1), HARD_STOP_MS).unref();
    // Jobs need not wait for the balancer; what they do meanwhile would be cut short.
    const jobsStopped = service.app.get(Jobs).stop();
    await pause(config.shutdownDelayMs);
    await closeAdmin?.();
    await jobsStopped;
    await service.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}
