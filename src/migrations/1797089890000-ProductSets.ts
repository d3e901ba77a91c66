import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sets of the products of a catalog. */
export class ProductSets1797089890000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "product_sets" ("id" character varying COLLATE "C" NOT NULL, "catalogId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "description" character varying, "type" character varying NOT NULL, "productKeys" character varying array NOT NULL, "filters" json NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_242a0afe63df8b7882671c69457" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "product_sets_catalog" ON "product_sets" ("catalogId", "id")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
