import { parseArgs } from 'node:util';

/** How a run is made, from the command line. */
export interface Settings {
  /** One JSON object a line instead of tables. */
  json: boolean;
  postgres: string;
  redis: string;
  /** The first of the ports that are used. */
  port: number;
  rounds: number;
  connections: number;
  /** Before the first round, for the compiler; and before each. */
  firstWarmUpMs: number;
  warmUpMs: number;
  measureMs: number;
  /** Campaigns of the account that GET and list read. */
  campaigns: number;
  /** Campaigns of the two accounts whose lists are compared. */
  small: number;
  large: number;
  /** Media of the library that is searched; posts of the author whose posts are listed, and posts that keywords are looked for in. */
  media: number;
  posts: number;
  /** Requests of 2,500 users that are uploaded. */
  uploads: number;
  /** People of each of ten audiences that are counted. */
  persons: number;
  /** Users of the directory that audiences are estimated over. */
  users: number;
  /** Facts that statistics are read from. */
  rows: number;
  /** Events that webhooks are told, in each round. */
  events: number;
  /** Line items of the account whose delivery is simulated. */
  items: number;
  /** Cases whose name contains this; all without it. */
  only: string;
  /** A built checkout whose service is compared with this one. */
  against?: string;
  /** Leave these parts out: bare, growth, uploads, conversions, sizes, estimates, insights, webhooks, journal, names, delivery, statistics, start. */
  skip: string[];
  /** `NAME=value` for the service alone. */
  env: Record<string, string>;
  /** Whether the service reaches PostgreSQL through PgBouncer in transaction mode. */
  pgbouncer: boolean;
}

export function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      pgbouncer: { type: 'boolean', default: false },
      postgres: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
      redis: { type: 'string', default: 'redis://127.0.0.1:6379' },
      port: { type: 'string', default: '3240' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      media: { type: 'string' },
      posts: { type: 'string' },
      uploads: { type: 'string' },
      persons: { type: 'string' },
      users: { type: 'string' },
      events: { type: 'string' },
      rows: { type: 'string' },
      items: { type: 'string' },
      only: { type: 'string', default: '' },
      against: { type: 'string' },
      skip: { type: 'string', default: '' },
      env: { type: 'string', multiple: true, default: [] },
    },
  });
  const { quick } = values;
  return {
    json: values.json,
    postgres: values.postgres,
    redis: values.redis,
    port: Number(values.port),
    rounds: Number(values.rounds ?? (quick ? 1 : 5)),
    connections: 32,
    firstWarmUpMs: quick ? 2_000 : 6_000,
    warmUpMs: quick ? 300 : 1_000,
    measureMs: Number(values.seconds ?? (quick ? 2 : 4)) * 1_000,
    campaigns: 1_000,
    small: 1_000,
    large: quick ? 100_000 : 1_000_000,
    media: Number(values.media ?? (quick ? 10_000 : 100_000)),
    posts: Number(values.posts ?? (quick ? 10_000 : 1_000_000)),
    uploads: Number(values.uploads ?? (quick ? 40 : 200)),
    persons: Number(values.persons ?? (quick ? 50_000 : 1_000_000)),
    users: Number(values.users ?? (quick ? 200_000 : 1_000_000)),
    rows: Number(values.rows ?? (quick ? 200_000 : 1_000_000)),
    events: Number(values.events ?? (quick ? 2_000 : 10_000)),
    items: Number(values.items ?? (quick ? 1_000 : 10_000)),
    only: values.only,
    against: values.against,
    skip: values.skip.split(','),
    pgbouncer: values.pgbouncer,
    env: Object.fromEntries(
      values.env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
    ),
  };
}
