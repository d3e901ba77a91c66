import { createHash } from 'node:crypto';
import { Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Vault } from '../../auth/credentials/vault.js';
import { segmentsProblem } from '../../audiences/custom-audiences/stored-segments.js';
import { Clock } from '../../common/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { ContentProblem } from '../../common/entity/content-problem.js';
import { valuesOf } from '../../common/entity/columns.js';
import { newId, newNumber } from '../../common/entity/ids.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Made } from '../../common/http/answers/made.js';
import { storedCardProblem } from '../../creatives/stored-cards/stored-card.js';
import type { Card } from '../../creatives/entities/card.entity.js';
import { Media } from '../../creatives/entities/media.entity.js';
import { Post } from '../../creatives/entities/post.entity.js';
import { withNewIds, type ImportTarget } from './new-ids.rules.js';
import { MAX_ACCOUNTS, SandboxAccounts } from '../sandbox-accounts.service.js';
import {
  FILE_FORMAT,
  FILE_VERSION,
  readSnapshotFile,
  textOf,
  type ColumnShape,
  type SavedAccount,
  type SavedRow,
  type SnapshotFile,
  type TableShapes,
} from './snapshot-file.rules.js';
import { MAX_SNAPSHOT_ROWS, type Snapshot } from './snapshot.entity.js';
import { SNAPSHOT_TABLES } from './snapshot-tables.js';
import { insertParts, readParts } from './snapshots.records.statements.js';
import type { Owner } from '../owner.js';
import { SnapshotsService } from './snapshots.service.js';

/** What a signature of the Vault is for. */
const PURPOSE = 'snapshot file';
/** Tables whose ids are decimal. */
const DECIMAL_TABLES = new Set(['cards', 'draft_posts', 'scheduled_posts']);

/** Writes snapshots as files, and stores files as snapshots. */
@Injectable()
export class SnapshotFiles {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly vault: Vault,
    private readonly accounts: SandboxAccounts,
    private readonly snapshots: SnapshotsService,
  ) {}

  /**
   * The text of the file of a snapshot, one table of an account at a time. It has no secrets: no table here has any. The
   * user still administers its accounts.
   */
  async export({ applicationId, userId }: Owner, name: string): Promise<AsyncGenerator<string>> {
    const snapshot = await this.snapshots.get(applicationId, name);
    await this.accounts.requireStill(userId, 'snapshot', snapshot.accountIds);
    return this.written(snapshot);
  }

  /**
   * Stores a file as a snapshot of this name. With `given`, its accounts become these, in this order. A file that this
   * service wrote of the same accounts keeps its ids; rows of any other one get new ids.
   */
  async import(owner: Owner, name: string, body: unknown, given?: readonly string[]): Promise<Made<Row<Snapshot>>> {
    const file = readSnapshotFile(body, this.shapes(), { accounts: MAX_ACCOUNTS, rows: MAX_SNAPSHOT_ROWS });
    const from = file.accounts.map(({ account_id: id }) => id);
    if (given && given.length !== from.length)
      throw invalid('account_ids', `Expected ${from.length} accounts, as many as the file has, for account_ids`);
    const to = given ?? from;
    const accountIds = await this.accounts.administeredBy(owner.userId, to);
    const isOurs = this.isOurs(file);
    if (!isOurs) requireContents(file);
    const isSame = to.every((id, i) => id === from[i]) && isOurs;
    const saved = isSame ? file.accounts : await this.renewed(file, to, owner.userId);
    return this.snapshots.store(owner.applicationId, name, accountIds, (tx, id) => insertParts(tx, id, saved));
  }

  /** The first line up to the accounts, the accounts table by table, and the signature of their text. */
  private async *written({ id, name, accountIds, updatedAt }: Row<Snapshot>): AsyncGenerator<string> {
    const hash = createHash('sha256');
    const signed = (text: string) => {
      hash.update(text);
      return text;
    };
    const head = { format: FILE_FORMAT, version: FILE_VERSION, name, saved_at: new Date(updatedAt).toISOString() };
    yield `${JSON.stringify(head).slice(0, -1)},"accounts":`;
    for (const [i, accountId] of accountIds.entries()) {
      yield signed(`${i === 0 ? '[' : ','}{"account_id":${JSON.stringify(accountId)},"tables":{`);
      let first = true;
      for await (const { table, content } of readParts(this.db.manager, id, accountId)) {
        yield signed(`${first ? '' : ','}${JSON.stringify(table)}:${JSON.stringify(content)}`);
        first = false;
      }
      yield signed('}}');
    }
    yield signed(']');
    yield `,"signature":${JSON.stringify(this.vault.sign(PURPOSE, hash.digest('hex')))}}\n`;
  }

  private isOurs({ accounts, signature }: SnapshotFile): boolean {
    const digest = createHash('sha256').update(textOf(accounts)).digest('hex');
    return signature !== undefined && this.vault.isSigned(PURPOSE, digest, signature);
  }

  private async renewed({ accounts }: SnapshotFile, to: readonly string[], userId: string): Promise<SavedAccount[]> {
    const renewed: SavedAccount[] = [];
    for (const [i, saved] of accounts.entries()) {
      const users = rows(this.db.manager, PromotableUser).where('accountId', to[i]);
      const promotable = (await users.getMany()).toSorted((a, b) => rankOf(a) - rankOf(b));
      const target: ImportTarget = {
        accountId: to[i],
        userId,
        promotableUserIds: promotable.map((each) => each.userId),
        newIdIn: (table) => (DECIMAL_TABLES.has(table) ? newNumber : newId)(this.clock.now()),
      };
      const place = `accounts[${i}]`;
      const account = withNewIds(saved, place, target);
      await this.requirePosts(account, place, target);
      await this.requireMedia(account, place, target);
      await this.requireOwnPermissions(account, place, to);
      renewed.push(account);
    }
    return renewed;
  }

  /** Posts are not in a snapshot: those that it refers to exist, and the account may promote them. */
  private async requirePosts(saved: SavedAccount, place: string, { promotableUserIds }: ImportTarget): Promise<void> {
    const named = referencesIn(saved, place, {
      promoted_posts: ['postId', 'sourcePostId'],
      post_names: ['postId'],
      scheduled_posts: ['postId'],
      scheduled_promoted_posts: ['postId'],
    });
    const known = new Set<string>();
    for (const { id, authorId } of await rows(this.db.manager, Post).whereIn('id', idsOf(named)).getMany())
      if (promotableUserIds.includes(authorId)) known.add(id);
    for (const { at, id } of named)
      if (!known.has(id))
        throw invalid(at, `Expected the id of a post that the account may promote for ${at}`, { value: id });
  }

  /** Files are not in a snapshot: they exist, and are those of a user whose media the account may use. */
  private async requireMedia(
    saved: SavedAccount,
    place: string,
    { promotableUserIds, userId }: ImportTarget,
  ): Promise<void> {
    const named = referencesIn(saved, place, { library_media: ['mediaId'] });
    const users = [userId, ...promotableUserIds];
    const usable = new Map<string, Row<Media>>();
    for (const media of await rows(this.db.manager, Media)
      .whereIn('id', idsOf(named))
      .where('state', 'SUCCEEDED')
      .getMany())
      if (media.expiresAt === null && [media.ownerId, ...media.additionalOwners].some((id) => users.includes(id)))
        usable.set(media.id, media);
    const files = new Set([...usable.values()].flatMap(({ file, posterFile }) => [file, posterFile]));
    for (const { at, id, row } of named) {
      const media = usable.get(id);
      if (!media) throw invalid(at, `Expected the id of an upload that the account may use for ${at}`, { value: id });
      const isSame =
        row.file === media.file && Number(row.size) === media.size && row.contentType === media.contentType;
      if (!isSame || (row.posterFile !== null && !files.has(row.posterFile as string)))
        throw invalid(at, `Expected the file, the size and the content type of upload ${id} beside ${at}`, {
          value: id,
        });
    }
    for (const { at, id } of referencesIn(saved, place, { account_media: ['file'] }))
      if (!files.has(id)) throw invalid(at, `Expected the file of a media of the library for ${at}`, { value: id });
  }

  private async requireOwnPermissions(saved: SavedAccount, place: string, to: readonly string[]): Promise<void> {
    for (const { at, id } of referencesIn(saved, place, { audience_permissions: ['grantedAccountId'] }))
      if (!to.includes(id)) throw invalid(at, `Expected an account of the import for ${at}`, { value: id });
  }

  private shapes(): TableShapes {
    return new Map(
      SNAPSHOT_TABLES.map(({ entity }) => {
        const { tableName, columns } = this.db.getMetadata(entity);
        return [tableName, columns.map((column) => shapeOf(entity, column))];
      }),
    );
  }
}

/** A column as a file is validated. */
export const shapeOf = (
  entity: Type,
  { databaseName: name, propertyName, type, isArray, isNullable }: ColumnMetadata,
): ColumnShape => ({
  name,
  type: typeof type === 'string' ? type : 'text',
  isArray,
  isNullable,
  values: valuesOf(entity, propertyName),
});

/** What is in columns of JSON, by table: the problem of a row, if it is not what the API stores. */
const CONTENTS: Record<string, (row: SavedRow) => ContentProblem | undefined> = {
  cards: (row) => storedCardProblem(row as unknown as Row<Card>),
  custom_audiences: ({ audienceType, segments }) => segmentsProblem(audienceType === 'FLEXIBLE', segments),
};

/** 400 for the first row that has something else in a column of JSON than the API would store. */
function requireContents({ accounts }: SnapshotFile): void {
  for (const [i, { tables }] of accounts.entries()) {
    const keys = new Set((tables.library_media ?? []).map(({ mediaKey }) => mediaKey));
    for (const [table, problemOf] of Object.entries(CONTENTS))
      for (const [n, row] of (tables[table] ?? []).entries()) {
        const problem = problemOf(row) ?? absentMedia(row, keys);
        if (!problem) continue;
        const at = `accounts[${i}].tables.${table}[${n}].${problem.column}`;
        throw invalid(at, `Wrong value for ${at}: ${problem.message}`, { value: problem.value });
      }
  }
}

/** Whoever shows a card looks up its media in the library of the account. */
function absentMedia({ mediaKeys }: SavedRow, keys: ReadonlySet<unknown>): ContentProblem | undefined {
  const value = (mediaKeys as string[] | undefined)?.find((key) => !keys.has(key));
  return value === undefined
    ? undefined
    : { column: 'mediaKeys', message: `Expected keys of library_media in the file, got ${value}`, value };
}

const rankOf = ({ promotableUserType }: Row<PromotableUser>): number => (promotableUserType === 'FULL' ? 0 : 1);

interface Reference {
  at: string;
  id: string;
  row: Record<string, unknown>;
}

/** What columns of a saved account name, without null. */
function referencesIn(
  { tables }: SavedAccount,
  place: string,
  columns: Record<string, readonly string[]>,
): Reference[] {
  return Object.entries(columns).flatMap(([table, names]) =>
    (tables[table] ?? []).flatMap((row, i) =>
      names.flatMap((name) => {
        const id = row[name];
        return typeof id === 'string' ? [{ at: `${place}.tables.${table}[${i}].${name}`, id, row }] : [];
      }),
    ),
  );
}

const idsOf = (references: readonly Reference[]): string[] => [...new Set(references.map(({ id }) => id))];
