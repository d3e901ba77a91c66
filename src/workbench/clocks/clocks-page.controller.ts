import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { choicesOf, formFieldsOf, type SingleFields } from '../../common/http/bodies/single-fields.js';
import { ApiError } from '../../common/errors/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS, minuteOf } from '../../common/time/days.js';
import { invalid } from '../../common/errors/catalogue.js';
import { InsideApi } from '../inside/inside-api.js';
import { SandboxAccounts } from '../sandbox-accounts.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit, type AccessNeeded } from '../pages/workbench-pages.js';
import { MAX_CLOCKS } from './test-clock.entity.js';
import { presentClock } from './test-clock.presenter.js';
import { timelineOf, type TimelineEvent } from './timeline.presenter.js';
import { TestClocksService } from './test-clocks.service.js';

/** Days by which the forms advance a clock. */
const DAYS = [1, 7, 30, 90];
/** Number of accounts, and of line items and scheduled posts of each, that a timeline reads. */
const TIMELINE_ACCOUNTS = 5;
const TIMELINE_ITEMS = 50;

/** The test clocks of an application in a browser. */
@SectionController('clocks')
export class ClocksPageController {
  constructor(
    private readonly clocks: TestClocksService,
    private readonly accounts: SandboxAccounts,
    private readonly api: InsideApi,
    private readonly clock: Clock,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit);
  }

  /** Creates a clock, also with accounts. */
  @Post()
  async create(@Res() reply: FastifyReply) {
    await this.act(reply, async ({ application, session }) => {
      const { name = '', frozen_time } = formFieldsOf(reply.request);
      if (name.trim() === '' || name.length > MAX_NAME_LENGTH)
        throw invalid('name', `Expected 1 to ${MAX_NAME_LENGTH} characters for name, got ${name.length}`);
      const chosen = choicesOf(reply.request, 'account').filter((id) => id !== '');
      const clock = { name, frozen_time: timeOf(frozen_time), ...(chosen.length > 0 && { account_ids: chosen }) };
      await this.clocks.create(application.id, session.user.userId, clock);
    });
  }

  /** The timeline of a clock: the flights and the scheduled posts of its accounts. */
  @Get(':clock_id')
  async open(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.showTimeline(reply, visit, clockId);
  }

  /** Advances a clock by some days from the list, or to a time from its timeline. */
  @Post(':clock_id/advance')
  async advance(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    const { days, from, frozen_time: time } = formFieldsOf(reply.request);
    const advance = async ({ application, session }: Visit): Promise<string> => {
      const owner = { applicationId: application.id, userId: session.user.userId };
      const frozen_time = time === undefined ? await this.after(application.id, clockId, { from, days }) : timeOf(time);
      await this.clocks.advance(owner, clockId, { frozen_time });
      return time === undefined ? '' : `/${clockId}`;
    };
    await this.pages.carryOut(reply, 'clocks', advance, (visit, error) =>
      time === undefined ? this.show(reply, visit, error) : this.showTimeline(reply, visit, clockId, error),
    );
  }

  /** Attaches an account to a clock. */
  @Post('attach')
  async attach(@Res() reply: FastifyReply) {
    await this.act(reply, async ({ application, session }) => {
      const { clock = '', account = '' } = formFieldsOf(reply.request);
      const owner = { applicationId: application.id, userId: session.user.userId };
      await this.clocks.attach(owner, clock, account);
    });
  }

  /** Detaches an account from a clock. */
  @Post(':clock_id/detach')
  async detach(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    await this.act(reply, async ({ application }) => {
      await this.clocks.detach(application.id, clockId, formFieldsOf(reply.request).account ?? '');
    });
  }

  /** Detaches an account that follows a clock of another application. */
  @Post('release')
  async release(@Res() reply: FastifyReply) {
    const release = async ({ session }: Visit) => {
      await this.clocks.release(session.user.userId, formFieldsOf(reply.request).account ?? '');
    };
    // the user administers the account, whatever the application may do
    await this.act(reply, release, null);
  }

  /** Deletes a clock. */
  @Post(':clock_id/delete')
  async delete(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    await this.act(reply, ({ application }) => this.clocks.delete(application.id, clockId));
  }

  /** A time some days after the one that the page showed: a form that is sent twice moves the clock once. */
  private async after(applicationId: string, clockId: string, { from, days: given }: SingleFields): Promise<string> {
    const days = Number(given);
    if (!DAYS.includes(days)) throw invalid('days', `Expected one of ${DAYS.join(', ')} for days`, { value: given });
    const shown =
      from === undefined ? (await this.clocks.get(applicationId, clockId)).clock.frozenTime : timeOf(from, 'from');
    return new Date(Date.parse(shown) + days * DAY_MS).toISOString();
  }

  /** Does what a form asks for, and leads back to the list. */
  private async act(reply: FastifyReply, work: (visit: Visit) => Promise<void>, needs?: AccessNeeded): Promise<void> {
    await this.pages.carryOut(reply, 'clocks', work, (visit, error) => this.show(reply, visit, error), needs);
  }

  private async show(reply: FastifyReply, visit: Visit, error?: ApiError): Promise<void> {
    const [{ items }, { accounts }] = await Promise.all([
      this.clocks.list(visit.application.id, { max_results: MAX_CLOCKS }),
      this.accounts.listFor(visit.session.user.userId),
    ]);
    const free = accounts.filter(({ clockId }) => clockId === null);
    const elsewhere = accounts.filter(
      ({ clockId }) => clockId !== null && !items.some(({ clock }) => clock.id === clockId),
    );
    await this.pages.show(reply, visit, {
      section: 'clocks',
      template: 'clocks/clocks',
      title: 'Clocks',
      status: error?.status,
      isLive: true,
      data: {
        clocks: items.map(presentClock),
        free,
        elsewhere,
        days: DAYS,
        now: minuteOf(this.clock.ms()),
        error: error?.message,
      },
    });
  }

  private async showTimeline(reply: FastifyReply, visit: Visit, clockId: string, error?: ApiError): Promise<void> {
    const found = await this.clocks.get(visit.application.id, clockId).catch((problem: unknown) => {
      // a form names a clock that is gone: the error is that of the list
      if (error && problem instanceof ApiError) return undefined;
      throw problem;
    });
    if (!found) return this.show(reply, visit, error);
    const clock = presentClock(found);
    const read = clock.account_ids.slice(0, TIMELINE_ACCOUNTS);
    const events = await Promise.all(read.map((id) => this.eventsOf(reply, visit, id)));
    const now = Date.parse(clock.frozen_time);
    const timeline = timelineOf(
      now,
      events.flatMap((each) => each.events),
    );
    await this.pages.show(reply, visit, {
      section: 'clocks',
      template: 'clocks/timeline',
      title: clock.name,
      status: error?.status,
      isLive: true,
      data: {
        clock,
        timeline,
        isPartial: read.length < clock.account_ids.length || events.some(({ more }) => more),
        suggested: minuteOf(now + DAY_MS),
        days: DAYS,
        error: error?.message,
      },
    });
  }

  /** The flights and the scheduled posts of an account, as the API answers them to the user. */
  private async eventsOf(
    reply: FastifyReply,
    visit: Visit,
    accountId: string,
  ): Promise<{ events: TimelineEvent[]; more: boolean }> {
    const read = (path: string, params: Record<string, string> = {}) =>
      this.api.get(reply.request, visit, {
        path: `/12/accounts/${accountId}/${path}`,
        params: { count: TIMELINE_ITEMS, ...params },
        sandbox: true,
      });
    const [lineItems, posts] = await Promise.all([
      read('line_items'),
      read('scheduled_posts', { sort_by: 'scheduled_at-desc' }),
    ]);
    const flights = lineItems.items.map((item) => ({
      label: String(item.name ?? item.id),
      link: `/${accountId}/line_items/${String(item.id)}`,
      start: Date.parse(String(item.start_time)),
      end: typeof item.end_time === 'string' ? Date.parse(item.end_time) : NO_END,
    }));
    const scheduled = posts.items
      .filter(({ scheduled_status }) => scheduled_status === 'SCHEDULED')
      .map(({ name, text, id, scheduled_at }) => ({
        label: `Post: ${String(name || text || id).slice(0, MAX_LABEL_LENGTH)}`,
        start: Date.parse(String(scheduled_at)),
      }));
    return {
      events: [...flights, ...scheduled],
      more: [lineItems, posts].some(({ nextCursor }) => nextCursor !== null),
    };
  }
}

/** A flight without an end lasts beyond every timeline. */
const NO_END = Infinity;
const MAX_NAME_LENGTH = 255;
const MAX_LABEL_LENGTH = 80;

/** A time in UTC of a field of a form. */
function timeOf(given = '', name = 'frozen_time'): string {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z?$/.test(given);
  const ms = Date.parse(given.endsWith('Z') ? given : `${given}Z`);
  if (isTime && !Number.isNaN(ms)) return new Date(ms).toISOString();
  throw invalid(name, `Expected a time in UTC such as 2026-12-30T08:00 for ${name}, got "${given.slice(0, 40)}"`, {
    value: given.slice(0, 40),
  });
}
