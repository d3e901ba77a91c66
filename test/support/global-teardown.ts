import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Removes what global-setup made; like there, nothing can be imported by a relative name. */
export default async function tearDown(_jest: unknown, { rootDir }: { rootDir: string }): Promise<void> {
  const { TEMPLATE_FILE, TEMPLATE_DATABASE, dropDatabases } = (await import(
    join(rootDir, 'test/support/environment.ts')
  )) as typeof import('./environment.js');
  await (globalThis as { marqueeTestStage?: { end(): Promise<void> } }).marqueeTestStage?.end();
  const file = process.env[TEMPLATE_FILE];
  if (file) rmSync(dirname(file), { recursive: true, force: true });
  const database = process.env[TEMPLATE_DATABASE];
  if (database && !process.env.TEST_KEEPS_TEMPLATE) await dropDatabases(database);
}
