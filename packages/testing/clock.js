/** Test clocks: the frozen time of a sandbox account, which a test advances. */
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 50;
const DURATION_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time in ISO 8601; throws for what is none. `name`: the option, for the message. */
export function isoTime(time, name) {
  const date = new Date(time);
  if (time === null || Number.isNaN(date.getTime()))
    throw new TypeError(`${name} must be a time such as 2026-12-24T18:00:00Z, not ${String(time)}`);
  return date.toISOString();
}

/** The option `clock` with both parts: a time alone freezes the clock. */
export function clockOptions(clock) {
  if (clock === undefined) return {};
  if (typeof clock !== 'object' || clock === null || clock instanceof Date)
    return { frozenAt: isoTime(clock, 'clock') };
  const [unknown] = Object.keys(clock).filter((key) => key !== 'frozenAt' && key !== 'startsAt');
  if (unknown !== undefined) throw new TypeError(`clock has frozenAt and startsAt, but no ${unknown}`);
  const { frozenAt, startsAt } = clock;
  return {
    ...(frozenAt !== undefined && { frozenAt: isoTime(frozenAt, 'clock.frozenAt') }),
    ...(startsAt !== undefined && { startsAt: isoTime(startsAt, 'clock.startsAt') }),
  };
}

/** The test clock of the workbench that a sandbox account follows. */
export class TestClock {
  #client;
  #shown;

  constructor(client, shown) {
    this.#client = client;
    this.#shown = shown;
  }

  /** Freezes the sandbox account of a client. Replaces a clock that it follows. */
  static async freeze(client, frozenAt) {
    const account = client.credentials.sandbox_account_id;
    const create = () =>
      client.request('POST', '/workbench/clocks', { name: 'Test', frozen_time: frozenAt, account_ids: account });
    let answer = await create();
    if (answer.status !== 201) {
      const { data } = await client.ask('GET', '/workbench/clocks', { max_results: 100 });
      const former = data.find(({ account_ids: ids }) => ids.includes(account));
      if (former) {
        await client.ask('DELETE', `/workbench/clocks/${former.id}`);
        answer = await create();
      }
    }
    return new TestClock(client, client.expectOk(answer).data);
  }

  get id() {
    return this.#shown.id;
  }

  /** The time that the account has, in ISO 8601. */
  get now() {
    return this.#shown.frozen_time;
  }

  /** Advances to a time, or by a duration such as `90d`, and resolves when everything due until then has happened. */
  async advance(to) {
    const [, count, unit] = /^(\d+)([smhd])$/.exec(to) ?? [];
    const target =
      count === undefined
        ? isoTime(to, 'The time to advance to')
        : new Date(Date.parse(this.now) + Number(count) * DURATION_MS[unit]).toISOString();
    const path = `/workbench/clocks/${this.id}`;
    ({ data: this.#shown } = await this.#client.ask('POST', `${path}/advance`, { frozen_time: target }));
    while (this.#shown.status === 'advancing') {
      await pause(LOOK_MS);
      ({ data: this.#shown } = await this.#client.ask('GET', path));
    }
    if (this.#shown.status !== 'ready')
      throw new Error(`The test clock stopped at ${this.now}: ${this.#shown.failure}`);
    return this.now;
  }
}
