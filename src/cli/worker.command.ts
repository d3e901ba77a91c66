import type { Command } from 'commander';

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
