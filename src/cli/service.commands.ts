import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { sign } from '../auth/signature/signature.js';
import { Clock } from '../common/time/clock.js';
import { readConfig } from '../config/config.js';
import { type DemoCredentials, docsLink, openUrl, readDemoCredentials } from '../demo/credentials-file.js';
import { type OutputOptions, print } from './context.js';
import { CommandRefusal } from './refusal.js';
import { openInBrowser } from './open-in-browser.js';
import type { ProcessTerminal, Terminal } from './terminal.js';

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
      const { keepRowsYoung, serve } = await import('../serve.js');
      await serve();
      keepRowsYoung();
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
      const { keepRowsYoung, work } = await import('../serve.js');
      await work();
      keepRowsYoung();
      // The process ends when the work does.
      await new Promise(() => undefined);
    });
}

/** `marquee open`: signs the demo's user in and opens the workbench in a browser. */
export function addOpenCommand(program: Command, terminal: ProcessTerminal): void {
  program
    .command('open')
    .summary("open the workbench as the demo's user")
    .description(
      'Opens the workbench in the browser of this machine, signed in as the user of the demo, and prints the link. The link works ' +
        'once, for five minutes. The service must run.',
    )
    .option('--no-browser', 'only print the link')
    .option('--json', 'only print {"url": <link>}')
    .addHelpText('after', '\nExamples:\n  $ marquee open\n  $ marquee open --no-browser')
    .action(async (options: OutputOptions & { browser: boolean }) => {
      const url = signedLink(demoCredentials('in production mode, there is no demo to open'));
      print(terminal, options, { json: { url }, text: url });
      if (options.browser && !options.json) await openInBrowser(url, terminal);
    });
}

/** A link with a signature behind the `#`. No browser sends that part, and no server logs it. */
function signedLink(demo: DemoCredentials): string {
  const url = openUrl(demo.base_url);
  const authorization = sign({
    method: 'POST',
    url,
    params: [],
    consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
    token: { key: demo.access_token, secret: demo.access_token_secret },
    timestamp: Math.floor(Clock.machineMs() / 1_000),
    nonce: randomBytes(16).toString('hex'),
  });
  return `${url}#${Buffer.from(authorization).toString('base64url')}`;
}

/** The credentials of the demo in DATA_DIR. */
function demoCredentials(inProduction: string): DemoCredentials {
  const { production, dataDir } = readConfig();
  if (production) throw new CommandRefusal(inProduction);
  const credentials = readDemoCredentials(dataDir);
  if (credentials) return credentials;
  throw new CommandRefusal(
    `there is no demo in ${dataDir}; set DATA_DIR to its directory, or create a demo with \`marquee demo\``,
  );
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
      const credentials = demoCredentials('in production mode, Swagger UI cannot fill in keys');
      const url = docsLink(credentials.base_url, credentials);
      print(terminal, options, { json: { url }, text: url });
    });
}
