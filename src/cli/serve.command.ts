import type { Command } from 'commander';

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
