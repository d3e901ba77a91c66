import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The value of a location that clients know already; users who were imported with the one before keep their place. */
const [BEFORE, KNOWN] = ['L:618435d5e02f0857', 'L:96683cc9126741d1'];

export class LocationOfTheUnitedStates1795600200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replace(runner, BEFORE, KNOWN);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replace(runner, KNOWN, BEFORE);
  }
}

const replace = (runner: QueryRunner, from: string, to: string) =>
  runner.query(
    `UPDATE "directory_users" SET "traits" = CASE WHEN "traits" @> ARRAY[$2]::character varying[]
       THEN array_remove("traits", $1::character varying)
       ELSE array_replace("traits", $1::character varying, $2::character varying) END
     WHERE "traits" @> ARRAY[$1]::character varying[]`,
    [from, to],
  );
