import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.js';
import type { Answer } from '../support/requests.js';

/** Requests that meet on two replicas, again and again. */
export interface Race {
  name: string;
  /** Makes what is needed once; answers what is done each time, which throws Wrong where something is not as it has to be. */
  prepare(arena: Arena): Promise<(time: number) => Promise<void>>;
}

/** What was seen in a race and must not be. */
export class Wrong extends Error {}

/** Refuses what is not so, in words. */
export function mustBe(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Wrong(otherwise);
}

/** A request, not signed yet. */
export interface Asked {
  method: string;
  target: string;
  body?: object;
}

/** Two replicas, and the tables below them. */
export class Arena {
  constructor(
    readonly cluster: Cluster,
    private readonly query: (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>,
  ) {}

  /** Sends requests at once, to the replicas in turn; with `withinMs` each after a random while of at most that. */
  meet(requests: Asked[], withinMs = 0): Promise<Answer[]> {
    const { replicas } = this.cluster;
    return Promise.all(
      requests.map(async (each, i) => {
        if (withinMs > 0) await pause(Math.random() * withinMs);
        return this.ask(each, replicas[i % replicas.length].port);
      }),
    );
  }

  /** Sends one request; what is no success is an error. */
  async one<T>(request: Asked): Promise<T> {
    const { status, body } = await this.ask(request);
    if (status > 299) throw new Error(`${request.method} ${request.target}: ${status} ${body}`);
    return (JSON.parse(body) as { data: T }).data;
  }

  async sql<T>(text: string, ...values: unknown[]): Promise<T[]> {
    return (await this.query(text, values)).rows as T[];
  }

  private ask({ method, target, body }: Asked, port?: number): Promise<Answer> {
    return this.cluster.ask(method, target, body && JSON.stringify(body), port);
  }
}

/** Statuses in their order, as text: "201, 400, 400". */
export const statusesOf = (answers: Answer[]): string =>
  answers
    .map(({ status }) => status)
    .sort()
    .join(', ');

/** Throws if an answer has a status that is not meant to occur. */
export function only(allowed: number[], answers: Answer[]): void {
  const odd = answers.find(({ status }) => !allowed.includes(status));
  mustBe(odd === undefined, `an answer ${odd?.status}: ${odd?.body.slice(0, 200)}`);
}

export const succeeded = ({ status }: Answer): boolean => status >= 200 && status < 300;

export const query = (parameters: Record<string, string | number>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const DAILY = 'daily_budget_amount_local_micro';

/** Where campaigns of an account are, and how one is made. */
export const campaignsOf = (account: { id: string; fundingId: string }, base = '/12') => {
  const path = `${base}/accounts/${account.id}/campaigns`;
  const fields = (name: string, status: string) => ({
    funding_instrument_id: account.fundingId,
    name,
    entity_status: status,
    [DAILY]: 5_500_000,
  });
  return {
    path,
    create: (name: string, status = 'PAUSED'): Asked => ({
      method: 'POST',
      target: `${path}?${query(fields(name, status))}`,
    }),
    update: (id: string, changes: Record<string, string>): Asked => ({
      method: 'PUT',
      target: `${path}/${id}?${query(changes)}`,
    }),
    delete: (id: string): Asked => ({ method: 'DELETE', target: `${path}/${id}` }),
    batch: (operations: object[]): Asked => ({
      method: 'POST',
      target: `${base}/batch/accounts/${account.id}/campaigns`,
      body: operations,
    }),
    creation: (name: string, status = 'PAUSED') => ({ operation_type: 'Create', params: fields(name, status) }),
    change: (id: string, changes: object) => ({ operation_type: 'Update', params: { campaign_id: id, ...changes } }),
  };
};
