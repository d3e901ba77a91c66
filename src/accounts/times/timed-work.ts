import { Injectable } from '@nestjs/common';
import type { TimeSource } from '../../common/time/frozen-time.js';

/** Something that becomes due at a time. */
export interface TimedStep {
  /** Identifies it among the work of its domain. */
  id: string;
  /** When it is due, in ISO 8601. */
  at: string;
  /**
   * Carries it out if it is still due; `times` is the time of its account, which the clock has reached. Throws if it could
   * not: then it stays due. Whatever it leaves for later is due after `at`.
   */
  run(times: TimeSource): Promise<void>;
}

/** What becomes due at times in one domain. */
export interface TimedWork {
  /** A few words for messages. */
  name: string;
  /** Counts what is due in these accounts until a time. */
  count(accountIds: readonly string[], until: string): Promise<number>;
  /** What is due in these accounts until a time, earliest first. */
  due(accountIds: readonly string[], until: string, limit: number): Promise<TimedStep[]>;
  /** Whether steps may make others due that are earlier than known ones. */
  repeats?: boolean;
}

/** The work that an advancing test clock carries out in order of time. Elsewhere jobs find it by the time of the service. */
@Injectable()
export class TimedWorks {
  readonly all: TimedWork[] = [];

  /** Adds the work of a domain; once, in `onModuleInit`. */
  register(work: TimedWork): void {
    this.all.push(work);
  }
}
