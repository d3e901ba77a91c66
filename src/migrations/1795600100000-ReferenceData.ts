import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readAsset } from '../common/asset.js';

/** The tables that are filled, and the kinds of their columns other than texts. */
const FILES: Record<string, Record<string, 'list' | 'integer'>> = {
  iab_categories: {},
  advertiser_business_categories: { iabCategories: 'list' },
  content_categories: {
    iabCategories: 'list',
    publishersInLastThirtyDays: 'integer',
    videosMonetizedInLastThirtyDays: 'integer',
  },
  bidding_rules: {
    minimumCpeBidLocalMicro: 'integer',
    maximumCpeBidLocalMicro: 'integer',
    minimumDenomination: 'integer',
  },
};

/** The tables of reference data, filled with what comes with the service: `marquee reference import` replaces it. */
export class ReferenceData1795600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "advertiser_business_categories" ("position" integer NOT NULL, "id" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "iabCategories" character varying array NOT NULL, CONSTRAINT "PK_7aa4c90d157a322b36faaf744c2" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "bidding_rules" ("position" integer NOT NULL, "currency" character varying COLLATE "C" NOT NULL, "minimumCpeBidLocalMicro" bigint NOT NULL, "maximumCpeBidLocalMicro" bigint NOT NULL, "minimumDenomination" bigint NOT NULL, CONSTRAINT "PK_dcc49da64a4ca31e632f4d72b3e" PRIMARY KEY ("currency"))`,
    );
    await runner.query(
      `CREATE TABLE "content_categories" ("position" integer NOT NULL, "id" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "iabCategories" character varying array NOT NULL, "publishersInLastThirtyDays" integer NOT NULL, "videosMonetizedInLastThirtyDays" integer NOT NULL, CONSTRAINT "PK_1e90dab7a3f22189b39b01445a6" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "curated_categories" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "name" character varying NOT NULL, "description" character varying NOT NULL, "countryCodes" character varying array NOT NULL, "publisherUserIds" character varying array NOT NULL, "videosMonetizedInLastThirtyDays" integer NOT NULL, CONSTRAINT "PK_f45e269493f26a8781098aadf5a" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_b7fff070b8df9dadc6af729e09" ON "curated_categories"  ("updatedAt", "id") `);
    await runner.query(
      `CREATE TABLE "iab_categories" ("position" integer NOT NULL, "id" character varying COLLATE "C" NOT NULL, "parentId" character varying COLLATE "C", "name" character varying NOT NULL, CONSTRAINT "PK_06fb9d640a258f059cabd065df1" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "publishers" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "userId" character varying COLLATE "C" NOT NULL, "monetizableCountryCodes" character varying array NOT NULL, "promotionEligibleCountryCodes" character varying array NOT NULL, "monetizationRestricted" boolean NOT NULL, "contentCategoryIds" character varying array NOT NULL, CONSTRAINT "PK_9d73f23749dca512efc3ccbea6a" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_b3f4c3b648bbdccf365ecdd161" ON "publishers"  ("updatedAt", "id") `);
    await runner.query(`CREATE UNIQUE INDEX "publishers_user" ON "publishers"  ("userId") WHERE "deletedAt" IS NULL`);
    // over lists and expressions, so declared by hand
    await runner.query(
      `CREATE INDEX "curated_categories_countries" ON "curated_categories" USING gin ("countryCodes") WITH (fastupdate = off)`,
    );
    await runner.query(
      `CREATE INDEX "curated_categories_publishers" ON "curated_categories" USING gin ("publisherUserIds") WITH (fastupdate = off)`,
    );
    await runner.query(
      `CREATE INDEX "curated_categories_name" ON "curated_categories" ((lower("name") COLLATE "C"), "id")`,
    );
    for (const [table, kinds] of Object.entries(FILES)) {
      const rows = rowsOf(readAsset(`reference/${table.replaceAll('_', '-')}.tsv`), kinds);
      await runner.query(`INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1)`, [
        JSON.stringify(rows),
      ]);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."curated_categories_name"`);
    await runner.query(`DROP INDEX "public"."curated_categories_publishers"`);
    await runner.query(`DROP INDEX "public"."curated_categories_countries"`);
    await runner.query(`DROP INDEX "public"."publishers_user"`);
    await runner.query(`DROP INDEX "public"."IDX_b3f4c3b648bbdccf365ecdd161"`);
    await runner.query(`DROP TABLE "publishers"`);
    await runner.query(`DROP TABLE "iab_categories"`);
    await runner.query(`DROP INDEX "public"."IDX_b7fff070b8df9dadc6af729e09"`);
    await runner.query(`DROP TABLE "curated_categories"`);
    await runner.query(`DROP TABLE "content_categories"`);
    await runner.query(`DROP TABLE "bidding_rules"`);
    await runner.query(`DROP TABLE "advertiser_business_categories"`);
  }
}

/** The lines of a file with tabs, whose first line names the columns. */
function rowsOf(text: string, kinds: Record<string, 'list' | 'integer'>): object[] {
  const [heading, ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  const columns = heading
    .split('\t')
    .map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  return lines.map((line, position) => {
    const cells = line.split('\t').map((cell) => cell.trim());
    const valueOf = (column: string, cell: string) => {
      if (kinds[column] === 'list') return cell === '' ? [] : cell.split(',');
      if (cell === '') return null;
      return kinds[column] === 'integer' ? Number(cell) : cell;
    };
    return { position, ...Object.fromEntries(columns.map((column, i) => [column, valueOf(column, cells[i])])) };
  });
}
