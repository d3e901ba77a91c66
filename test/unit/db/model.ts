import { Column, DeleteDateColumn, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { Counter } from '../../../src/common/db/counters/counter.entity.js';
import type { Model } from '../../../src/common/db/database.js';
import type { Row } from '../../../src/common/db/query/rows.js';

/** A table with a column of every type that the service uses. */
@Entity('things')
export class Thing {
  @PrimaryColumn('varchar') id: string;
  @Column('varchar') name: string;
  @Column('varchar', { nullable: true }) note: string | null;
  @Column('bigint', { default: 7 }) amount: number;
  @Column('bigint', { nullable: true }) limit: number | null;
  @Column('int', { default: 0 }) size: number;
  @Column('boolean', { default: true }) active: boolean;
  @Column('text', { array: true, default: '{}' }) tags: string[];
  @Column('jsonb', { nullable: true }) rules: unknown;
  @Column('json', { nullable: true }) snapshot: unknown;
  @Column('bytea', { nullable: true }) secret: Buffer | null;
  @Column({ type: 'double precision', default: 0 }) share: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @DeleteDateColumn({ type: 'timestamptz', precision: 3, nullable: true }) deletedAt: Date | null;
}

@Entity('thing_events')
export class ThingEvent {
  @PrimaryColumn('varchar') id: string;
  @Column('varchar') thingId: string;
}

export class CreateThings1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "things" (
      "id" varchar CONSTRAINT "PK_things" PRIMARY KEY, "name" varchar NOT NULL CONSTRAINT "UQ_name" UNIQUE, "note" varchar,
      "amount" bigint NOT NULL DEFAULT 7, "limit" bigint, "size" int NOT NULL DEFAULT 0, "active" boolean NOT NULL DEFAULT true,
      "tags" text[] NOT NULL DEFAULT '{}', "rules" jsonb, "snapshot" json, "secret" bytea,
      "share" double precision NOT NULL DEFAULT 0, "createdAt" timestamptz(3) NOT NULL, "deletedAt" timestamptz(3))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "things"');
  }
}

export class CreateTheRest1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_sleep(0.2)');
    await runner.query(`CREATE TABLE "thing_events" ("id" varchar CONSTRAINT "PK_thing_events" PRIMARY KEY,
      "thingId" varchar NOT NULL CONSTRAINT "FK_thing" REFERENCES "things" ("id"))`);
    await runner.query(`CREATE TABLE "counters" ("ownerId" varchar, "kind" varchar, "value" int NOT NULL, "limit" int NOT NULL,
      CONSTRAINT "counters_within_limit" CHECK ("value" >= 0), CONSTRAINT "PK_counters" PRIMARY KEY ("ownerId", "kind"))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "thing_events", "counters"');
  }
}

export const MODEL: Model = {
  entities: [Thing, ThingEvent, Counter],
  migrations: [CreateThings1700000000001, CreateTheRest1700000000002],
};

let count = 0;

/** A fresh id, unique in this file. */
export const id = (prefix = 't') => `${prefix}${++count}`;

export function thing(given: Partial<Row<Thing>> = {}): Row<Thing> {
  const own = given.id ?? id();
  return {
    id: own,
    name: `name of ${own}`,
    note: null,
    amount: 1_000_000,
    limit: null,
    size: 3,
    active: true,
    tags: [],
    rules: null,
    snapshot: null,
    secret: null,
    share: 0.25,
    createdAt: '2026-11-20T19:08:40.123Z',
    deletedAt: null,
    ...given,
  };
}
