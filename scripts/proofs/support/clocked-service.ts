/** The service as a process that a test starts: its clock is ahead of its servers' by what the test says. */
import 'reflect-metadata';
import { surviveRejections } from '../../../src/common/concurrency/background.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { loggerFor } from '../../../src/common/logging/log.js';
import { Clock } from '../../../src/common/time/clock.js';
import { readConfig } from '../../../src/config/config.js';
import { startService } from '../../../src/start-service.js';

/** What the test says, and what the process answers when it is so. */
export interface ClockMessage {
  /** Milliseconds. */
  ahead: number;
}
/** What the process says when it has heard a mark, so that it has heard all that was announced before. */
export interface MarkMessage {
  mark: string;
}

export const MARKS = 'test-mark';

// nobody is left who would end it
process.once('disconnect', () => process.exit(1));

const config = readConfig();
const { service, stop } = await startService(config, loggerFor(config));
surviveRejections();
const clock = service.app.get(Clock);
const say = (message: ClockMessage | MarkMessage) => process.send?.(message);

process.on('message', ({ ahead }: ClockMessage) => {
  clock.set(null);
  clock.advance(ahead);
  say({ ahead });
});
service.app.get(DatabaseNotifications).on(MARKS, (mark) => say({ mark }));
process.once('SIGTERM', () => void stop(0).then(() => process.exit(0)));
