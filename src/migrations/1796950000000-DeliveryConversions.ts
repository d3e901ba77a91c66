import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The conversions of facts and of their sums by day. Nullable columns without a default leave the rows as they are. */
export class DeliveryConversions1796950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['delivery_facts', 'delivery_days'])
      await runner.query(`ALTER TABLE "${table}" ${COLUMNS.map((column) => `ADD ${column}`).join(', ')}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

const COLUMNS = [
  '"webSiteVisitsAfterView" integer',
  '"webSiteVisitsAfterEngagement" integer',
  '"webContentViewsAfterView" integer',
  '"webContentViewsAfterEngagement" integer',
  '"webAddToCartsAfterView" integer',
  '"webAddToCartsAfterEngagement" integer',
  '"webPurchasesAfterView" integer',
  '"webPurchasesAfterEngagement" integer',
  '"webSignUpsAfterView" integer',
  '"webSignUpsAfterEngagement" integer',
  '"webSalesAfterView" bigint',
  '"webSalesAfterEngagement" bigint',
  '"mobileInstallsAfterView" integer',
  '"mobileInstallsAfterEngagement" integer',
  '"mobileReEngagesAfterView" integer',
  '"mobileReEngagesAfterEngagement" integer',
  '"mobilePurchasesAfterView" integer',
  '"mobilePurchasesAfterEngagement" integer',
  '"mobileSignUpsAfterView" integer',
  '"mobileSignUpsAfterEngagement" integer',
  '"mobileSales" bigint',
];
