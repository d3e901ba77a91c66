import type { Command } from 'commander';
import { readConfig } from '../config/config.js';
import { readDemoCredentials } from '../demo/credentials-file.js';
import { docsLink } from '../demo/docs-key.js';
import { type OutputOptions, print } from './context.js';
import { Refusal } from './refusal.js';
import type { Terminal } from './terminal.js';

/** `marquee docs`: prints the link to the API reference with the demo's keys. */
export function addDocsCommand(program: Command, terminal: Terminal): void {
  program
    .command('docs')
    .summary("print the link to Swagger UI with the demo's keys")
    .description(
      'Prints the link that opens Swagger UI with the keys of the demo filled in, for a browser on this machine. Anyone with the ' +
        'link can sign as the demo user. The link does not change while the demo in DATA_DIR exists.',
    )
    .option('--json', 'print {"url": <link>}')
    .addHelpText('after', '\nExample:\n  $ marquee docs')
    .action((options: OutputOptions) => {
      const { production, dataDir } = readConfig();
      if (production) throw new Refusal('in production mode, Swagger UI cannot fill in keys');
      const credentials = readDemoCredentials(dataDir);
      if (!credentials)
        throw new Refusal(
          `there is no demo in ${dataDir}; set DATA_DIR to its directory, or create a demo with \`marquee demo\``,
        );
      const url = docsLink(credentials.base_url, credentials);
      print(terminal, options, { json: { url }, text: url });
    });
}
