import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is told of what happens, what was sent to them, and what is sent again. Events may be about an application, too. */
export class Webhooks1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_acb4e8ff0c45d01e345f6f7d26"`);
    await runner.query(
      `CREATE TABLE "webhook_attempts" ("id" character varying COLLATE "C" NOT NULL, "deliveryId" character varying COLLATE "C" NOT NULL, "startedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "latencyMs" integer NOT NULL, "status" integer, "error" character varying, CONSTRAINT "PK_2de7e7887ad97de459adab62638" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_957458bb5fa29e6111e085c75c" ON "webhook_attempts"  ("deliveryId", "id") `);
    await runner.query(
      `CREATE TABLE "webhook_deliveries" ("id" character varying COLLATE "C" NOT NULL, "webhookId" character varying COLLATE "C" NOT NULL, "eventId" character varying COLLATE "C" NOT NULL, "eventTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "replayId" character varying COLLATE "C" NOT NULL, "state" character varying COLLATE "C" NOT NULL, "attempts" integer NOT NULL, "dueAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "lastStatus" integer, "lastError" character varying, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "settledAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_535dd409947fb6d8fc6dfc0112a" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "webhook_deliveries_of_window" ON "webhook_deliveries"  ("webhookId", "eventTime", "eventId") WHERE "replayId" = ''`,
    );
    await runner.query(`CREATE INDEX "IDX_f8211218959afc1d157ca45984" ON "webhook_deliveries"  ("webhookId", "id") `);
    await runner.query(
      `CREATE UNIQUE INDEX "webhook_deliveries_once" ON "webhook_deliveries"  ("webhookId", "eventId", "replayId") `,
    );
    await runner.query(
      `CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"  ("webhookId", "dueAt", "id") WHERE state = 'PENDING'`,
    );
    await runner.query(
      `CREATE TABLE "webhooks" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "applicationId" character varying COLLATE "C" NOT NULL, "url" character varying NOT NULL, "valid" boolean NOT NULL, "invalidReason" character varying, "validatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "nextCheckAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "failingSince" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_9e8795cfc899ab7bdaa831e8527" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "webhooks_next_check" ON "webhooks"  ("nextCheckAt") WHERE "deletedAt" IS NULL AND valid`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "webhooks_url_once" ON "webhooks"  ("applicationId", "url") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "webhook_replays" ("id" character varying COLLATE "C" NOT NULL, "webhookId" character varying COLLATE "C" NOT NULL, "fromTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "toTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "state" character varying COLLATE "C" NOT NULL, "lastEventTime" TIMESTAMP(3) WITH TIME ZONE, "lastEventId" character varying COLLATE "C", "events" integer NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "endedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_9bd3bad94fcbeab595599df4d0b" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_c4e2fb70cc5231160178d18688" ON "webhook_replays"  ("webhookId", "id") `);
    await runner.query(
      `CREATE UNIQUE INDEX "webhook_replays_one_running" ON "webhook_replays"  ("webhookId") WHERE state = 'RUNNING'`,
    );
    await runner.query(
      `CREATE TABLE "webhook_subscriptions" ("id" character varying COLLATE "C" NOT NULL, "webhookId" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C", "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_bf631ae77d39849d599817fb6f4" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_c022228f94930c3024ed5d8895" ON "webhook_subscriptions"  ("accountId") `);
    await runner.query(
      `CREATE UNIQUE INDEX "webhook_subscriptions_all_once" ON "webhook_subscriptions"  ("webhookId") WHERE "accountId" IS NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "webhook_subscriptions_account_once" ON "webhook_subscriptions"  ("webhookId", "accountId") WHERE "accountId" IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE "outgoing_events" ADD "applicationId" character varying COLLATE "C"`);
    await runner.query(`ALTER TABLE "outgoing_events" ADD "body" json`);
    // Nobody could want what happened before there were webhooks: a default marks it without writing a row.
    await runner.query(`ALTER TABLE "outgoing_events" ADD "dispatchedAt" TIMESTAMP(3) WITH TIME ZONE DEFAULT now()`);
    await runner.query(`ALTER TABLE "outgoing_events" ALTER COLUMN "dispatchedAt" DROP DEFAULT`);
    await runner.query(`ALTER TABLE "outgoing_events" ALTER COLUMN "accountId" DROP NOT NULL`);
    await runner.query(`ALTER TABLE "outgoing_events" ALTER COLUMN "changeId" DROP NOT NULL`);
    await runner.query(
      `CREATE INDEX "outgoing_events_undispatched" ON "outgoing_events"  ("id") WHERE "dispatchedAt" IS NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
