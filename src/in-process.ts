import 'reflect-metadata';
import { runCommandRequest } from './cli/admin-socket.js';
import { loggerFor } from './common/logging/log.js';
import { readConfig } from './config/config.js';
import type { Environment } from './config/environment.js';
import { startService, type Opened } from './start-service.js';

/** A service in the process that started it. */
export interface ServiceInProcess {
  /** Runs a `marquee` command on it; returns its standard output, and throws its standard error. */
  command(...argv: string[]): Promise<string>;
  /** Stops it, and keeps its data. */
  stop(): Promise<void>;
}

/**
 * Starts the service in this process, for tests. Settings come from `environment` alone. Several may run at once, each with
 * its own port and data directory.
 */
export async function startInProcess(environment: Environment): Promise<ServiceInProcess> {
  const config = readConfig(environment);
  const opened: Opened = {};
  const { service, stop } = await startService(config, loggerFor(config), opened).catch(async (error: unknown) => {
    await opened.listener?.close();
    await opened.service?.close().catch(() => undefined);
    throw error;
  });
  return {
    async command(...argv) {
      const { stdout, stderr, exitCode } = await runCommandRequest(service.app, JSON.stringify({ argv }));
      if (exitCode !== 0) throw new Error(stderr);
      return stdout;
    },
    stop: () => stop(0),
  };
}
