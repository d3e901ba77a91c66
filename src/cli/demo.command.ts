import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CREDENTIALS_FILE } from '../demo/credentials-file.js';
import type { Context, OutputOptions } from './context.js';
import { Refusal } from './refusal.js';

/** `marquee demo`: creates the demo world in an empty store. */
export function addDemoCommand(program: Command, context: Context): void {
  program
    .command('demo')
    .summary('fill an empty store with the demo world')
    .description(
      'Fills an empty store with a small demo world and prints the path of its keys and secrets. A store that is in use does ' +
        'not change. Not available in production mode, because the file contains secrets.',
    )
    .option('--json', 'print {"credentials": <path>}')
    .addHelpText('after', '\nExample:\n  $ marquee demo')
    .action((options: OutputOptions) =>
      context.perform(options, async ({ app, config }) => {
        if (config.production)
          throw new Refusal('the demo stores secrets in a file, and is not available in production mode');
        const { seedDemo } = await import('../demo/demo.js');
        const path = join(config.dataDir, CREDENTIALS_FILE);
        if (!(await seedDemo(app, config))) {
          const hint = existsSync(path) ? `; the credentials of its demo are in ${path}` : '';
          throw new Refusal(`the store is not empty, and the demo requires an empty one${hint}`);
        }
        return { json: { credentials: path }, text: `The demo world is ready. Its credentials are in ${path}` };
      }),
    );
}
