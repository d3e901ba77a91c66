import type { DataSource, EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { frozenAccounts } from '../../accounts/times/account-times.statements.js';
import { readLong, type LongReadOptions } from '../../common/db/query/long-read.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { Type } from '@nestjs/common';
import { AudiencePermission } from '../audience-permissions/audience-permission.entity.js';
import { AudienceIdentifier, IDENTIFIER_KINDS } from '../entities/audience-identifier.entity.js';
import { CHANGES_AT, VALID, type Counted } from '../directory/directory-count.statements.js';
import { LATEST_CHANGE } from '../directory/directory-matches.statements.js';
import { AudienceSizing, type Sized } from '../entities/audience-sizing.entity.js';

/** The parts of an upload that the following count needs. */
export interface UploadMark {
  audienceId: string;
  kind: Sized;
  accountId: string;
  userId: string;
  now: string;
  /** When the people are counted if no further upload arrives. */
  dueAt: string;
  /** Maximum time until an upload is counted, in seconds. */
  mostSeconds: number;
}

/**
 * Records an upload, and locks the row of its audience, and so all other uploads to it, until the end of the
 * transaction. Returns why the audience cannot be targeted; undefined if it is deleted.
 */
export async function markUpload(
  db: EntityManager,
  holder: Type<Resource>,
  { audienceId, kind, accountId, userId, now, dueAt, mostSeconds }: UploadMark,
): Promise<string[] | undefined> {
  const { table } = tableOf(db, AudienceSizing);
  const found = await run<{ reasons: string[] }>(db, {
    text: `WITH audience AS (SELECT h.id, h."reasonsNotTargetable" AS reasons FROM ${tableOf(db, holder).table} h
        WHERE h."accountId" = $3 AND h.id = $1 AND h."deletedAt" IS NULL FOR NO KEY UPDATE),
      marked AS (INSERT INTO ${table} AS s ("audienceId", kind, "accountId", "userId", "dueAt", "waitingSince", generation, "matchedTo")
        SELECT id, $2, $3, $4, $6::timestamptz, $5::timestamptz, 1, ${LATEST_CHANGE} FROM audience
        ON CONFLICT ("audienceId") DO UPDATE SET "userId" = EXCLUDED."userId", generation = s.generation + 1,
          "waitingSince" = coalesce(s."waitingSince", EXCLUDED."waitingSince"),
          "dueAt" = CASE WHEN s."waitingSince" IS NULL THEN least(s."dueAt", EXCLUDED."dueAt")
            ELSE least(EXCLUDED."dueAt", s."waitingSince" + make_interval(secs => $7)) END)
      SELECT reasons FROM audience`,
    values: [audienceId, kind, accountId, userId, now, dueAt, mostSeconds],
  });
  return found[0]?.reasons;
}

/** A due audience, claimed by a worker until `countedUntil`. */
export type DueSizing = Pick<AudienceSizing, 'audienceId' | 'kind' | 'accountId' | 'userId' | 'generation'>;

/** Claims the audience that is due first, but none of the accounts that had their turn. */
export async function takeDue(
  db: EntityManager,
  now: string,
  countedUntil: string,
  served: readonly string[],
): Promise<DueSizing | undefined> {
  const { table } = tableOf(db, AudienceSizing);
  const [taken] = await run<DueSizing>(db, {
    text: `UPDATE ${table} s SET "countedUntil" = $2 WHERE s."audienceId" = (
        SELECT d."audienceId" FROM ${table} d WHERE d."dueAt" <= $1 AND (d."countedUntil" IS NULL OR d."countedUntil" <= $1)
          AND d."accountId" NOT IN (${frozenAccounts(db)}) AND d."accountId" <> ALL($3)
        ORDER BY d."dueAt" LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING s."audienceId", s.kind, s."accountId", s."userId", s.generation`,
    values: [now, countedUntil, served],
  });
  return taken;
}

/** The audiences of these accounts that are due until a time, earliest first. */
export const dueSizingsIn = (
  db: EntityManager,
  accountIds: readonly string[],
  until: string,
  limit: number,
): Promise<(DueSizing & { dueAt: string })[]> =>
  run(db, {
    text: `SELECT s."audienceId", s.kind, s."accountId", s."userId", s.generation, s."dueAt" FROM ${tableOf(db, AudienceSizing).table} s
      WHERE s."accountId" = ANY($1) AND s."dueAt" <= $2 ORDER BY s."dueAt", s."audienceId" LIMIT $3`,
    values: [accountIds, until, limit],
  });

/** The number of audiences of these accounts that are due until a time. */
export async function countDueSizingsIn(
  db: EntityManager,
  accountIds: readonly string[],
  until: string,
): Promise<number> {
  const [{ due }] = await run<{ due: number }>(db, {
    text: `SELECT count(*)::int AS due FROM ${tableOf(db, AudienceSizing).table} s WHERE s."accountId" = ANY($1) AND s."dueAt" <= $2`,
    values: [accountIds, until],
  });
  return due;
}

/** Ends a count. If further uploads arrived meanwhile, their count stays due. */
export async function endCount(
  db: EntityManager,
  { audienceId, generation }: DueSizing,
  dueAt: string | null,
): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, AudienceSizing).table} SET "countedUntil" = NULL,
        "dueAt" = CASE WHEN generation = $2 THEN $3::timestamptz ELSE "dueAt" END,
        "waitingSince" = CASE WHEN generation = $2 THEN NULL ELSE "waitingSince" END
      WHERE "audienceId" = $1`,
    values: [audienceId, generation, dueAt],
  });
}

/**
 * Ends all counts of an audience that is deleted or whose account is deleted. A snapshot of the workbench can restore it
 * meanwhile: then its generation is another one.
 */
export async function dropSizing(
  db: EntityManager,
  { audienceId, generation }: Pick<DueSizing, 'audienceId' | 'generation'>,
): Promise<void> {
  await run(db, {
    text: `DELETE FROM ${tableOf(db, AudienceSizing).table} WHERE "audienceId" = $1 AND generation = $2`,
    values: [audienceId, generation],
  });
}

/** Audiences and the accounts that own them. */
interface OwnedAudiences {
  audienceIds: readonly string[];
  accountIds: readonly string[];
}

/**
 * Queues counts of the flexible audiences that contain one of these audiences, whose people have changed, of their accounts
 * and of those with which they are shared: now, by the time of the account that owns each.
 */
export async function countMadeOf(
  db: EntityManager,
  { audienceIds, accountIds }: OwnedAudiences,
  serviceTime: string,
  /** Accounts whose flexible audiences are left as they are. */
  exceptOf: readonly string[] = [],
): Promise<void> {
  const [sizings, accounts, permissions] = [AudienceSizing, Account, AudiencePermission].map(
    (entity) => tableOf(db, entity).table,
  );
  await run(db, {
    text: `UPDATE ${sizings} s SET generation = s.generation + 1,
        "dueAt" = least(s."dueAt", coalesce((SELECT a."frozenTime" FROM ${accounts} a WHERE a.id = s."accountId"), $2::timestamptz))
      WHERE s."madeOf" && $1::varchar[] AND s."madeOf" IS NOT NULL AND s."accountId" <> ALL($4::varchar[])
        AND (s."accountId" = ANY($3::varchar[]) OR EXISTS (
          SELECT FROM ${permissions} p WHERE p."grantedAccountId" = s."accountId" AND p."customAudienceId" = ANY($1)
            AND p."customAudienceId" = ANY(s."madeOf") AND p."accountId" = ANY($3) AND p."deletedAt" IS NULL))`,
    values: [audienceIds, serviceTime, accountIds, exceptOf],
  });
}

/** Limits of a count: a million people, or ten leaves of a million, take seconds. */
export const COUNTING: LongReadOptions = { seconds: 60, megabytes: 64 };

/** Counts the people of an audience, each by the first identifier. */
export async function countPeopleOfAudience(dataSource: DataSource, audienceId: string, at: string): Promise<Counted> {
  const { table } = tableOf(dataSource.manager, AudienceIdentifier);
  const [counted] = await readLong<Counted>(
    dataSource,
    {
      text: `SELECT count(*) FILTER (WHERE ${VALID('a', '$2')})::int AS valid, ${CHANGES_AT('a', '$2')} AS "changesAt"
        FROM ${table} a WHERE a."audienceId" = $1 AND a.first`,
      values: [audienceId, at],
    },
    COUNTING,
  );
  return counted;
}

/** The counts of an audience's people. */
export interface Census {
  uploaded: number;
  valid: number;
  notYetEffective: number;
  expired: number;
  /** The number of identifiers of each kind, in the order of IDENTIFIER_KINDS. */
  identifiers: number[];
}

export async function countMembers(dataSource: DataSource, audienceId: string, at: string): Promise<Census> {
  const { table } = tableOf(dataSource.manager, AudienceIdentifier);
  const kinds = IDENTIFIER_KINDS.map((_, kind) => `count(*) FILTER (WHERE kind = ${kind})::int`);
  const [census] = await readLong<Census>(
    dataSource,
    {
      text: `SELECT count(*) FILTER (WHERE first)::int AS uploaded,
          count(*) FILTER (WHERE first AND "effectiveAt" <= $2 AND "expiresAt" > $2)::int AS valid,
          count(*) FILTER (WHERE first AND "effectiveAt" > $2)::int AS "notYetEffective",
          count(*) FILTER (WHERE first AND "effectiveAt" <= $2 AND "expiresAt" <= $2)::int AS expired,
          ARRAY[${kinds.join(', ')}] AS identifiers
        FROM ${table} WHERE "audienceId" = $1`,
      values: [audienceId, at],
    },
    COUNTING,
  );
  return census;
}
