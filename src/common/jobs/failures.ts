import type { Logger } from '@nestjs/common';
import { failureReasonOf } from './reason.js';

/** Failures of a run until it ends. */
const MAX_FAILED = 10;

/** Counts the failures of a run. One file that a store keeps must not delay others; a store that is away ends the run. */
export class Failures {
  private failed = 0;

  constructor(private readonly logger: Logger) {}

  /** Logs what failed; throws the error where too much has failed. */
  tolerate(what: string, error: unknown): void {
    if (++this.failed > MAX_FAILED) throw error;
    this.logger.error(`${what}: ${failureReasonOf(error)}`);
  }
}
