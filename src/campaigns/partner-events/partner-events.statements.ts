import type { EntityManager } from 'typeorm';
import { AppEventTag } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { DirectoryIdentifier, DirectoryUser } from '../../audiences/directory/directory.entity.js';
import { IDENTIFIER_KINDS } from '../../audiences/entities/audience-identifier.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { AdsEnvironment } from '../../common/http/urls/public-urls.js';
import { Engagement } from '../../measurement/entities/engagement.entity.js';
import type { FindAttribution } from './partner-events.dto.js';
import type { AttributedEngagement } from './partner-events.rules.js';

/** Maximum number of tags of an app that an event is compared with, over all accounts. */
const MAX_TAGS = 200;

/** A tag of the app, in an account that exists, with the clock of that. */
export type AppTag = Pick<Row<AppEventTag>, 'id' | 'accountId' | 'conversionType'> &
  Pick<Row<Account>, 'frozenTime' | 'clockAdvancing'>;

/** The tags of an app, of all accounts of an environment; those of the event first, so that others do not take their place. */
export const tagsOfApp = (
  db: EntityManager,
  { app_id, os_type, conversion_type }: FindAttribution,
  environment: AdsEnvironment,
): Promise<AppTag[]> =>
  run<AppTag>(db, {
    text: `SELECT t.id, t."accountId", t."conversionType", a."frozenTime", a."clockAdvancing" FROM ${tableOf(db, AppEventTag).table} t
      JOIN ${tableOf(db, Account).table} a ON a.id = t."accountId" AND a."deletedAt" IS NULL AND a.environment = $3
      WHERE t."appStoreIdentifier" = $1 AND t."osType" = $2 AND t."deletedAt" IS NULL ORDER BY t."conversionType" = $4 DESC, t.id LIMIT ${MAX_TAGS} ${OF_ALL_ACCOUNTS}`,
    values: [app_id, os_type, environment, conversion_type],
  });

/** A user of the directory. */
interface DeviceOwner {
  userId: string;
  country: string | null;
}

/** The users of the directory with these devices, by the hashes of their ids in hexadecimal. */
const ownersOf = (db: EntityManager, hashes: readonly string[]): Promise<DeviceOwner[]> =>
  run<DeviceOwner>(db, {
    text: `SELECT DISTINCT u."userId", u.country FROM ${tableOf(db, DirectoryIdentifier).table} i
      JOIN ${tableOf(db, DirectoryUser).table} u ON u.number = i.number
      WHERE i.kind = $1 AND i.hash = ANY(ARRAY(SELECT decode(h, 'hex') FROM unnest($2::text[]) h))`,
    values: [IDENTIFIER_KINDS.indexOf('device_id'), hashes.filter((hash) => /^[0-9a-f]{64}$/i.test(hash))],
  });

/** The last click in its window of a user of these devices with one of these accounts, else the last view; undefined without any. */
export async function attributedEngagement(
  db: EntityManager,
  params: FindAttribution,
  accountIds: readonly string[],
): Promise<AttributedEngagement | undefined> {
  if (accountIds.length === 0) return undefined;
  const owners = await ownersOf(db, [params.hashed_device_id, ...(params.extra_device_ids ?? [])]);
  if (owners.length === 0) return undefined;
  const { table, select } = tableOf(db, Engagement);
  const [found] = await run<Row<Engagement>>(db, {
    text: `SELECT ${select} FROM ${table} r WHERE r."userId" = ANY($1) AND r."accountId" = ANY($2) AND r.at <= $3::timestamptz
        AND r.at >= $3::timestamptz - CASE WHEN r."isClick" THEN $4::int ELSE $5::int END * interval '24 hours'
        AND (r."isClick" OR $5::int > 0)
      ORDER BY r."isClick" DESC, r.at DESC, r.id DESC LIMIT 1`,
    values: [
      owners.map(({ userId }) => userId),
      [...accountIds],
      params.conversion_time,
      params.click_window,
      params.view_through_window,
    ],
  });
  return found && { ...found, country: owners.find(({ userId }) => userId === found.userId)?.country ?? null };
}

/** `last_tracked_at` of a tag changes at most once a minute, so that events do not wait for its row. */
const TRACKED_EVERY = `interval '1 minute'`;

/** Notes the time of the last event of tags, which is that of their accounts. It goes back where a test clock was ahead and is gone. */
export async function noteAppEvents(
  db: EntityManager,
  tags: readonly AppTag[],
  timeOf: (tag: AppTag) => Date,
): Promise<void> {
  if (tags.length === 0) return;
  await run(db, {
    text: `WITH due AS MATERIALIZED (
        SELECT t."accountId", t.id, n.at
        FROM unnest($1::varchar[], $2::varchar[], $3::timestamptz[]) AS n ("accountId", id, at)
          JOIN ${tableOf(db, AppEventTag).table} t ON t."accountId" = n."accountId" AND t.id = n.id
        WHERE t."lastTrackedAt" IS NULL OR t."lastTrackedAt" NOT BETWEEN n.at - ${TRACKED_EVERY} AND n.at + ${TRACKED_EVERY}
        ORDER BY 1, 2 FOR UPDATE OF t SKIP LOCKED)
      UPDATE ${tableOf(db, AppEventTag).table} t SET "lastTrackedAt" = d.at
      FROM due d WHERE t."accountId" = d."accountId" AND t.id = d.id RETURNING 1 ${OF_ALL_ACCOUNTS}`,
    values: [
      tags.map(({ accountId }) => accountId),
      tags.map(({ id }) => id),
      tags.map((tag) => timeOf(tag).toISOString()),
    ],
  });
}
