import type { Command } from 'commander';

/** `marquee worker`: background jobs and webhooks in the foreground, until it is told to stop. */
export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .summary('work on jobs and webhooks until told to stop')
    .description(
      'Works on background jobs and brings events to webhooks until SIGTERM or SIGINT, on the server of DATABASE_URL, beside ' +
        'any number of others. It listens on HOST and PORT for /health and /metrics, so that on one machine with the service ' +
        'it needs another PORT. Services with ROLE=api then leave the work to it.',
    )
    .addHelpText('after', '\nExample:\n  $ marquee worker')
    .action(async () => {
      const { work } = await import('../serve.js');
      await work();
      // The process ends when the work does.
      await new Promise(() => undefined);
    });
}
