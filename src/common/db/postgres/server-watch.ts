import { Logger } from '@nestjs/common';
import type { ServerConnection } from './own-connection.js';

const INTERVAL_MS = 500;

/** Asks the server for a sign of life twice a second, on a connection of its own, so that its silence is noticed before requests wait for it. */
export class ServerWatch {
  private readonly logger = new Logger('Database');
  private timer?: NodeJS.Timeout;
  private stopped = false;
  /** Whether it answered when it was last asked. */
  answers = true;

  /** `onSilence` is called when it does not answer any more: connections that were open then may be lost. */
  constructor(
    private readonly connection: ServerConnection,
    private readonly onSilence: () => void,
  ) {
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.connection.close();
  }

  private schedule(): void {
    if (!this.stopped) this.timer = setTimeout(() => void this.look(), INTERVAL_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      await this.connection.run({ text: 'SELECT 1' });
      if (!this.answers) this.logger.warn('answers again: requests are served');
      this.answers = true;
    } catch (error) {
      if (this.stopped) return;
      if (this.answers)
        this.logger.warn(
          `does not answer (${(error as Error).message}): requests are answered 503 with retry-after, and /health/ready 503, until it does`,
        );
      this.answers = false;
      this.onSilence();
    } finally {
      this.schedule();
    }
  }
}
