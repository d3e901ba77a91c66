import type { Command } from 'commander';
import { readConfig } from '../config/config.js';
import { readDemoCredentials, docsLink } from '../demo/credentials-file.js';
import { type OutputOptions, print } from './context.js';
import { CommandRefusal } from './refusal.js';
import type { Terminal } from './terminal.js';

/** `marquee serve`: runs the service in the foreground until it is stopped. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .summary('run the service in the foreground')
    .description(
      'Runs the service on HOST and PORT until SIGTERM or SIGINT, with the server of DATABASE_URL or the embedded store in ' +
        'DATA_DIR. The environment configures everything; `marquee config print` shows it.',
    )
    .addHelpText('after', '\nExamples:\n  $ marquee serve\n  $ marquee serve > service.log')
    .action(async () => {
      const { serve } = await import('../serve.js');
      await serve();
      // The process ends when the service does.
      await new Promise(() => undefined);
    });
}

/** `marquee worker`: background jobs and webhooks in the foreground, until it is told to stop. */
export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .summary('run background jobs and webhook deliveries in the foreground')
    .description(
      'Runs background jobs and webhook deliveries until SIGTERM or SIGINT, with the server of DATABASE_URL and next to any ' +
        'number of other workers. It serves /health and /metrics on HOST and PORT, so on the machine of a service it needs ' +
        'another PORT. Services with ROLE=api leave this work to workers.',
    )
    .addHelpText('after', '\nExample:\n  $ marquee worker')
    .action(async () => {
      const { work } = await import('../serve.js');
      await work();
      // The process ends when the work does.
      await new Promise(() => undefined);
    });
}

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
      if (production) throw new CommandRefusal('in production mode, Swagger UI cannot fill in keys');
      const credentials = readDemoCredentials(dataDir);
      if (!credentials)
        throw new CommandRefusal(
          `there is no demo in ${dataDir}; set DATA_DIR to its directory, or create a demo with \`marquee demo\``,
        );
      const url = docsLink(credentials.base_url, credentials);
      print(terminal, options, { json: { url }, text: url });
    });
}
