import type { MigrationInterface, QueryRunner } from 'typeorm';
import { daySuffix, endOfPeriod } from '../common/partitions/periods.js';

/** The sums of facts by day, partitioned by month as the facts are, and the audiences of facts. */
export class DeliveryDays1796900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE "delivery_facts" ADD "audienceId" character varying COLLATE "C" NOT NULL DEFAULT ''`,
    );
    await runner.query(
      `CREATE TABLE "delivery_audiences" ("accountId" character varying COLLATE "C" NOT NULL, "id" character varying COLLATE "C" NOT NULL, "criteria" jsonb NOT NULL, "users" bigint NOT NULL, "estimatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_delivery_audiences" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE TABLE "delivery_rollups" ("accountId" character varying COLLATE "C" NOT NULL, "until" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_delivery_rollups" PRIMARY KEY ("accountId"))`,
    );
    await runner.query(
      `CREATE TABLE "delivery_days" ("accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "start" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "placement" character varying NOT NULL, "promotedId" character varying COLLATE "C" NOT NULL, "audienceId" character varying COLLATE "C" NOT NULL, "promotedKind" character varying NOT NULL, "firstHour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "lastHour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "impressions" integer NOT NULL DEFAULT '0', "engagements" integer NOT NULL DEFAULT '0', "retweets" integer NOT NULL DEFAULT '0', "replies" integer NOT NULL DEFAULT '0', "likes" integer NOT NULL DEFAULT '0', "follows" integer NOT NULL DEFAULT '0', "cardEngagements" integer NOT NULL DEFAULT '0', "clicks" integer NOT NULL DEFAULT '0', "appClicks" integer NOT NULL DEFAULT '0', "urlClicks" integer NOT NULL DEFAULT '0', "qualifiedImpressions" integer NOT NULL DEFAULT '0', "carouselSwipes" integer NOT NULL DEFAULT '0', "billedEngagements" integer NOT NULL DEFAULT '0', "billedChargeLocalMicro" bigint NOT NULL DEFAULT '0', "videoTotalViews" integer NOT NULL DEFAULT '0', "videoViews25" integer NOT NULL DEFAULT '0', "videoViews50" integer NOT NULL DEFAULT '0', "videoViews75" integer NOT NULL DEFAULT '0', "videoViews100" integer NOT NULL DEFAULT '0', "videoCtaClicks" integer NOT NULL DEFAULT '0', "videoContentStarts" integer NOT NULL DEFAULT '0', "video3s100pctViews" integer NOT NULL DEFAULT '0', "video6sViews" integer NOT NULL DEFAULT '0', "video15sViews" integer NOT NULL DEFAULT '0', "mediaViews" integer NOT NULL DEFAULT '0', "mediaEngagements" integer NOT NULL DEFAULT '0', CONSTRAINT "PK_delivery_days" PRIMARY KEY ("accountId", "lineItemId", "start", "placement", "promotedId", "audienceId")) PARTITION BY RANGE ("start")`,
    );
    await runner.query(`CREATE INDEX "delivery_days_by_start" ON "delivery_days" ("accountId", "start")`);
    const [{ now }] = (await runner.query('SELECT now() AS now')) as { now: Date | string }[];
    let end = endOfPeriod(new Date(now), 'month');
    await attach(
      runner,
      `delivery_days_before_${daySuffix(end)}`,
      `FOR VALUES FROM (MINVALUE) TO ('${end.toISOString()}')`,
    );
    await attach(runner, 'delivery_days_default', 'DEFAULT');
    for (let i = 0; i < AHEAD; i++) {
      const [name, from] = [`delivery_days_${daySuffix(end)}`, end.toISOString()];
      end = endOfPeriod(end, 'month');
      await runner.query(`SELECT marquee_add_partition('delivery_days', $1, $2, $3)`, [name, from, end.toISOString()]);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

/** The months after the first partition that get a partition at once. */
const AHEAD = 2;

async function attach(runner: QueryRunner, name: string, bounds: string): Promise<void> {
  await runner.query(`SELECT marquee_new_partition('delivery_days', $1)`, [name]);
  await runner.query(`ALTER TABLE "delivery_days" ATTACH PARTITION "${name}" ${bounds}`);
  await runner.query(`SELECT marquee_name_indexes('delivery_days', $1)`, [name]);
}
