import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openAdminSocket } from './cli/admin-socket.js';
import { Jobs } from './common/jobs/jobs.js';
import { loggerFor } from './common/log.js';
import { type Config, readConfig, withoutSlash } from './config.js';
import { ReplayProtection } from './auth/replay/replay-protection.js';
import { CREDENTIALS_FILE, readDemoCredentials } from './demo/credentials-file.js';
import { followBaseUrls, seedDemo } from './demo/demo.js';
import { docsLink } from './demo/docs-key.js';
import { Lifecycle } from './operations/lifecycle.js';
import { Listener } from './listener.js';
import { openService, type Service } from './service.js';
import { startFailureOf } from './start-failure-of.js';

/** A stop that takes longer than this is cut short. */
const HARD_STOP_MS = 25_000;

/** How long a start waits for a database that does not answer: it often starts at the same time. */
const DATABASE_PATIENCE_MS = 30_000;

/** Serves until it is told to stop; what keeps it from starting is told in a sentence. */
export async function serve(): Promise<void> {
  let service: Service | undefined;
  try {
    const config = readConfig();
    const logger = loggerFor(config);
    const listener = await Listener.prepare(config);
    service = await openService(config, {
      serverFactory: listener.serverFactory,
      patienceMs: DATABASE_PATIENCE_MS,
      onWait: (why) => logger.warn(`${why} Waiting for it, up to ${DATABASE_PATIENCE_MS / 1000} seconds.`),
    });
    if (config.demo) await seedDemo(service.app, config);
    await followBaseUrls(service.app, config);
    await service.app.get(ReplayProtection).start();
    // On a server commands have connections of their own.
    const closeAdmin = service.store.embedded ? await openAdminSocket(config, service.app) : undefined;
    await listener.open();
    logger.info(`Listening on ${config.host}:${config.port}`);
    await service.app.get(Jobs).start();
    stopOnSignals(config, service, async () => {
      await listener.close();
      await closeAdmin?.();
    });
    greet(config);
  } catch (error) {
    const sentence = startFailureOf(service?.store.explain?.(error) ?? error);
    if (sentence === undefined) throw error;
    console.error(sentence);
    process.exit(1);
  }
}

/** What a person wants to know first; operators get the log lines. */
function greet(config: Config): void {
  if (config.production) return;
  const path = join(config.dataDir, CREDENTIALS_FILE);
  const credentials = readDemoCredentials(config.dataDir);
  const baseUrl = withoutSlash(config.baseUrl);
  // Where the command line would not look by itself.
  const named = config.dataDir === resolve('data') ? '' : ` --credentials ${path}`;
  // Standard output that is no terminal is a log, and keys do not belong into one.
  const withKey = credentials && process.stdout.isTTY;
  const lines = [
    'Marquee is ready.',
    '',
    `  API             ${withoutSlash(config.adsBaseUrl)}/12/accounts`,
    `  Sandbox         ${withoutSlash(config.adsSandboxBaseUrl)}/12/accounts`,
    `  Swagger UI      ${withKey ? docsLink(baseUrl, credentials) : `${baseUrl}/docs`}`,
    ...(credentials
      ? [
          ...(withKey ? [] : ['                  (`npx marquee docs` prints the link with the keys of the demo)']),
          `  Credentials     ${path}`,
          '',
          `  Try             npx marquee request GET /12/accounts${named}`,
        ]
      : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** On SIGTERM and SIGINT: not ready any more, answering still, then closed. */
function stopOnSignals(config: Config, service: Service, closeDoors: () => Promise<void>): void {
  const stop = async () => {
    const lifecycle = service.app.get(Lifecycle);
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    setTimeout(() => process.exit(1), HARD_STOP_MS).unref();
    // Jobs need not wait for the balancer; what they do meanwhile would be cut short.
    const jobsStopped = service.app.get(Jobs).stop();
    await pause(config.shutdownDelayMs);
    await closeDoors();
    await jobsStopped;
    await service.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}
