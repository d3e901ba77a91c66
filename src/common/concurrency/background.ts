import { Logger } from '@nestjs/common';

const logger = new Logger('Background');
let failures = 0;

/** Number of errors of this process that nothing else handled. */
export const unhandledErrors = (): number => failures;

/** Logs and counts the failure of work that nobody awaits. `what` names the work in the log. */
export function inBackground(work: Promise<unknown>, what: string): void {
  work.catch((error: unknown) => reportUnhandled(error, what));
}

/**
 * Has rejections that nothing handles logged and counted, where Node would end the process. One mistake in the code for
 * one request must not end all others. For processes that serve; errors outside of promises still end them.
 */
export function surviveRejections(): void {
  process.on('unhandledRejection', (error) => reportUnhandled(error, 'unknown'));
}

function reportUnhandled(error: unknown, work: string): void {
  failures++;
  const err = error instanceof Error ? error : new Error(String(error));
  logger.error({ err, work }, 'Work failed, and nothing handled its error');
}
