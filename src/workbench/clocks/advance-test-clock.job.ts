import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { TimedWorks, type TimedStep, type TimedWork } from '../../accounts/times/timed-work.js';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import { Clock } from '../../common/time/clock.js';
import { enqueue, enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { defineJob, type JobAttempt } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { PollLoop } from '../../common/concurrency/poll-loop.js';
import { write } from '../../common/db/query/write.js';
import { SandboxAccounts } from '../sandbox-accounts.service.js';
import {
  beat,
  claimAdvance,
  endAttempt,
  endSilentAttempts,
  storeStep,
  TakenOver,
  type ClockStep,
} from './test-clocks.statements.js';

/** Longer advances are several jobs. When a worker is killed, another one continues before the job expires. */
export const ADVANCE_TEST_CLOCK = defineJob<{ clockId: string; applicationId: string }>('advance-test-clock', {
  timeoutSeconds: 30,
  retries: 2,
  retryDelaySeconds: 1,
  concurrency: 4,
  turnsBy: 'applicationId',
});

/** After this time, another job continues, behind those of other applications. */
const SLICE_MS = 2_000;
/** Interval of the heartbeat of a worker, its maximum silence, and the interval of the check by others. */
const BEAT_MS = 1_000;
const SILENT_SECONDS = 5;
const LOOK_MS = 2_000;
/** Number of steps per read. */
const STEPS = 100;
/** Number of steps at the same time after which progress is stored. */
const REPORTED = 25;

/**
 * Advances test clocks: moves the time of their accounts to each moment at which something is due, and does it. The
 * stored time is the whole state, so another worker continues where one ends.
 */
@Injectable()
export class AdvanceTestClockJob implements OnModuleInit {
  private readonly logger = new Logger('TestClocks');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly times: AccountTimes,
    private readonly works: TimedWorks,
    private readonly accounts: SandboxAccounts,
    private readonly applications: ApplicationQueries,
  ) {}

  onModuleInit(): void {
    this.jobs.work(ADVANCE_TEST_CLOCK, ({ clockId }, attempt) => this.advance(clockId, attempt));
    const failed = (error: unknown) =>
      this.logger.debug(`Test clocks could not be looked at: ${failureReasonOf(error)}`);
    const loop = new PollLoop(() => this.takeOver(), failed, { minMs: LOOK_MS, maxMs: LOOK_MS });
    this.jobs.alongside({ start: () => loop.start(), stop: () => loop.stop() });
  }

  /** Has the clocks advanced whose workers ended. */
  async takeOver(): Promise<void> {
    await this.db.transaction(async (tx) => {
      const ended = await endSilentAttempts(tx, SILENT_SECONDS);
      if (ended.length === 0) return;
      const ids = ended.map(({ clockId }) => clockId);
      this.logger.warn(`The workers of the test clocks ${ids.join(', ')} ended; others continue.`);
      await write(tx, [enqueueWrite(ADVANCE_TEST_CLOCK, ended)]);
      notifyWorkers(tx, ADVANCE_TEST_CLOCK);
    });
  }

  /** Advances a clock until it arrives, or for some seconds. It does nothing if the clock does not advance. */
  async advance(clockId: string, { number, signal }: Pick<JobAttempt, 'number' | 'signal'>): Promise<void> {
    const clock = await claimAdvance(this.db.manager, clockId, randomUUID());
    if (!clock) return;
    const step = { ...clock };
    const timer = setInterval(() => void beat(this.db.manager, step).catch(() => undefined), BEAT_MS);
    try {
      const arrived = await this.walk(step, clock.targetTime!, signal);
      if (!arrived) await this.leaveToNext(step);
    } catch (error) {
      if (error instanceof TakenOver) return;
      if (signal.aborted || number <= ADVANCE_TEST_CLOCK.retries) throw error;
      this.logger.error(`The test clock ${clockId} could not advance: ${failureReasonOf(error)}`);
      await this.store(step, { status: 'internal_failure', failure: failureReasonOf(error) });
    } finally {
      clearInterval(timer);
    }
  }

  /** Ends the attempt, so that a clock that waits for its turn does not look abandoned, and queues another. */
  private async leaveToNext(step: ClockStep & { applicationId: string }): Promise<void> {
    const { id: clockId, applicationId } = step;
    await this.db.transaction(async (tx) => {
      if (!(await endAttempt(tx, step))) return;
      await enqueue(tx, ADVANCE_TEST_CLOCK, { clockId, applicationId });
    });
  }

  /** Returns whether the clock stays where it is now, because it arrived or may not go on; false after `SLICE_MS`. */
  private async walk(
    step: ClockStep & { applicationId: string },
    target: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const accountIds = (await this.times.ofClocks([step.id])).map(({ id }) => id);
    const lost = await this.lostBy(step.applicationId, accountIds);
    if (lost.length > 0) {
      const failure = `The owner of the application no longer administers the accounts ${lost.join(', ')}.`;
      await this.store(step, { status: 'internal_failure', failure });
      return true;
    }
    await this.store(step, await this.remaining(step, accountIds, target));
    const ends = performance.now() + SLICE_MS;
    let before = new Set<string>();
    for (;;) {
      const dueSteps = await this.dueSteps(accountIds, target);
      if (dueSteps.length === 0) break;
      const stuck = dueSteps.find((each) => before.has(keyOf(each)));
      if (stuck) throw new Error(`${stuck.work} ${stuck.id} stays due`);
      before = new Set(dueSteps.map(keyOf));
      for (const each of dueSteps) {
        signal.throwIfAborted();
        if (performance.now() > ends) return false;
        await this.moveTo(step, each);
        await each.run({ now: this.clock.timeOf(step) });
        step.done++;
        // the embedded store leaves no gap for requests
        await nextTurn();
      }
    }
    await this.store(step, { status: 'ready', frozenTime: target });
    return true;
  }

  /** The accounts of a clock that the owner of its application no longer administers. */
  private async lostBy(applicationId: string, accountIds: readonly string[]): Promise<readonly string[]> {
    const application = await this.applications.findById(applicationId);
    return application ? this.accounts.lostBy(application.ownerId, accountIds) : accountIds;
  }

  /** The work done and left, also after a worker ended between a step and its record. */
  private async remaining(step: ClockStep, accountIds: readonly string[], target: string) {
    const counts = await Promise.all(this.works.all.map((work) => work.count(accountIds, target)));
    const left = counts.reduce((sum, each) => sum + each, 0);
    const done = Math.max(step.done, step.total - left);
    return { done, total: Math.max(step.total, done + left) };
  }

  /** The next steps, in order of time. */
  private async dueSteps(accountIds: readonly string[], target: string): Promise<NamedStep[]> {
    const found = this.works.all.map(async (work) => ({
      work,
      steps: await work.due(accountIds, target, STEPS),
    }));
    return inOrder(await Promise.all(found), STEPS);
  }

  private async moveTo(step: ClockStep, { at }: TimedStep): Promise<void> {
    const isLater = Date.parse(at) > Date.parse(step.frozenTime);
    if (isLater) await this.store(step, { frozenTime: new Date(at).toISOString() });
    else if (step.done % REPORTED === 0) await this.store(step, {});
  }

  private async store(step: ClockStep, change: Partial<ClockStep>): Promise<void> {
    const total = Math.max(step.total, step.done);
    const next = { ...step, total, ...change };
    await storeStep(this.db.manager, next);
    Object.assign(step, next);
  }
}

const keyOf = ({ work, id, at }: NamedStep): string => `${work} ${id} ${at}`;

/** A step, and the name of its work. */
type NamedStep = TimedStep & { work: string };

/** The steps that a work has found, at most as many as it may find. */
export interface FoundSteps {
  work: Pick<TimedWork, 'name' | 'repeats'>;
  steps: readonly TimedStep[];
}

/**
 * The steps that can be done now, in order of time: none is later than a step that was not read yet. After the first
 * step that may make others due, all works are asked again.
 */
export function inOrder(found: readonly FoundSteps[], limit: number): NamedStep[] {
  const full = found.filter(({ steps }) => steps.length >= limit);
  const horizon = Math.min(...full.map(({ steps }) => Date.parse(steps.at(-1)!.at)));
  const all = found.flatMap(({ work, steps }) =>
    steps.map((step) => ({
      named: { ...step, work: work.name },
      repeats: work.repeats ?? false,
      ms: Date.parse(step.at),
    })),
  );
  const ordered = all.filter(({ ms }) => ms <= horizon).sort((one, other) => one.ms - other.ms);
  const end = ordered.findIndex(({ repeats }) => repeats);
  return (end < 0 ? ordered : ordered.slice(0, end + 1)).map(({ named }) => named);
}
