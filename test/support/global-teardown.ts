import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes what global-setup made; like there, nothing can be imported by a relative name. */
export default async function tearDown(_jest: unknown, { rootDir }: { rootDir: string }): Promise<void> {
  const { REDIS, RUN_FOLDER, TEMPLATE_DATABASE, dropDatabases, forgetKeys } = (await import(
    join(rootDir, 'test/support/environment.ts')
  )) as typeof import('./environment.js');
  const { kept, marqueeTestStage: stage } = globalThis as {
    kept?: { service?: { close(): Promise<void> } };
    marqueeTestStage?: { end(): Promise<void> };
  };
  // of this process; those of others ended with them
  await kept?.service?.close();
  await stage?.end();
  rmSync(process.env[RUN_FOLDER]!, { recursive: true, force: true });
  const database = process.env[TEMPLATE_DATABASE];
  if (database && REDIS) await forgetKeys(`${database}_`);
  if (database && !process.env.TEST_KEEPS_TEMPLATE) await dropDatabases(database);
}
