import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The products of users. */
export class ProductCatalogs1797089700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "product_catalogs" ("id" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "productCount" integer NOT NULL, "productBytes" bigint NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_16637c7d65f5806c7c5052bb0f1" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "product_catalogs_user" ON "product_catalogs"  ("userId") `);
    await runner.query(
      `CREATE TABLE "products" ("catalogId" character varying COLLATE "C" NOT NULL, "productKey" character varying COLLATE "C" NOT NULL, "merchantId" character varying COLLATE "C" NOT NULL, "groupKey" character varying COLLATE "C" NOT NULL, "attributes" json NOT NULL, "bytes" integer NOT NULL, "priceMicro" bigint NOT NULL, "salePriceMicro" bigint, "inventory" integer, "productType" character varying, "googleProductCategory" character varying, "customLabel0" character varying, "customLabel1" character varying, "customLabel2" character varying, "customLabel3" character varying, "customLabel4" character varying, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_6f235c0d988e201af1b579e0cb8" PRIMARY KEY ("catalogId", "productKey"))`,
    );
    await runner.query(`CREATE INDEX "products_group" ON "products"  ("catalogId", "groupKey", "productKey") `);
    await runner.query(`CREATE UNIQUE INDEX "products_merchant_id" ON "products"  ("catalogId", "merchantId") `);
    await runner.query(`SELECT pgboss.create_queue('catalog-deleted', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
