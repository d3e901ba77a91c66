import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The apps of line items as rows of their own. */
export class LineItemApps1797080000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE VIEW "line_item_apps" AS
      SELECT i."accountId", (i.id || a.suffix) COLLATE "C" AS id, i.id AS "lineItemId", a.app AS "appStoreIdentifier", a.os AS "osType",
        i."createdAt", i."updatedAt", i."deletedAt", i."campaignDeleted"
      FROM "line_items" i
      CROSS JOIN LATERAL (VALUES ('i', 'IOS', i."iosAppStoreIdentifier"), ('a', 'ANDROID', i."androidAppStoreIdentifier")) AS a (suffix, os, app)
      WHERE a.app IS NOT NULL`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
