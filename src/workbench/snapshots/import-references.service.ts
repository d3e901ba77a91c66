import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { mayComposeFor } from '../../accounts/access/acting-account.js';
import { AudienceAccessService } from '../../audiences/audience-permissions/audience-access.service.js';
import { AudienceSharing } from '../../audiences/audience-permissions/audience-sharing.service.js';
import { CuratedCategory } from '../../campaigns/entities/curated-category.entity.js';
import { IabCategoriesService } from '../../campaigns/reference/iab-categories/iab-categories.service.js';
import { StoredCriteria, type StoredCriterion } from '../../campaigns/stored-criteria/stored-criteria.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Media } from '../../creatives/entities/media.entity.js';
import { uploadKeyOf } from '../../creatives/media-files/media-key.js';
import { PromotablePosts } from '../../creatives/posts/promotable-posts.service.js';
import type { AudienceCriterion } from '../../statistics/facts/delivery-audience.entity.js';
import { notMadeOf, type ImportTarget, type RenewedAccount } from './new-ids.rules.js';
import type { SavedAccount, SavedRow } from './snapshot-file.rules.js';
import { snapshotTables } from './snapshot-tables.js';

/** Requires that an account may name all that its rows in a file name outside of the file, as if requests did. */
@Injectable()
export class ImportReferences {
  constructor(
    private readonly db: DataSource,
    private readonly audiences: AudienceAccessService,
    private readonly sharing: AudienceSharing,
    private readonly criteria: StoredCriteria,
    private readonly posts: PromotablePosts,
    private readonly iabCategories: IabCategoriesService,
    private readonly access: AccountAccessService,
  ) {}

  /** Throws the 400 of the first reference that a request of the account could not make. `to`: the accounts of the import. */
  async require(saved: RenewedAccount, place: string, target: ImportTarget, to: readonly string[]): Promise<void> {
    await this.requireAudiences(saved);
    await this.requireCriteria(saved, place);
    await this.requirePosts(saved, place);
    await this.requireMedia(saved, place, target);
    await this.requireGrants(saved, place, to);
    await this.requireCategories(saved, place);
    await this.requireComposers(saved, place, target);
  }

  /** The audiences of flexible ones. */
  private async requireAudiences({ account_id: id, foreignAudiences }: RenewedAccount): Promise<void> {
    const ids = new Set(foreignAudiences.map((each) => each.id));
    const { audiences } = await this.audiences.usableBy({ id, db: this.db.manager }, [...ids]);
    for (const { at, id: value } of foreignAudiences) {
      const audience = audiences.get(value);
      if (!audience) throw unusable(at, 'an audience in the file, or one that is shared with the account', value);
      if (audience.audience.audienceType === 'FLEXIBLE') throw notMadeOf(at, value);
    }
  }

  private async requireCriteria(
    { account_id: id, tables, visibleAudiences }: RenewedAccount,
    place: string,
  ): Promise<void> {
    const found: { at: string; criterion: StoredCriterion; isPart?: boolean }[] = [];
    for (const [i, row] of (tables.targeting_criteria ?? []).entries())
      found.push({ at: `${place}.tables.targeting_criteria[${i}]`, criterion: row as unknown as StoredCriterion });
    for (const [i, { criteria }] of (tables.delivery_audiences ?? []).entries())
      for (const [type, targetingValue, operator] of criteria as AudienceCriterion[])
        found.push({
          at: `${place}.tables.delivery_audiences[${i}].criteria`,
          criterion: { targetingType: type, targetingValue, operatorType: operator } as StoredCriterion,
          isPart: true,
        });
    const own = {
      appLists: idsIn(tables.app_lists),
      audiences: visibleAudiences,
      campaigns: idsIn(tables.campaigns),
    };
    const problems = await this.criteria.problems(
      { id, db: this.db.manager },
      found.map(({ criterion }) => criterion),
      own,
    );
    for (const [i, problem] of problems.entries()) {
      if (!problem) continue;
      const { at: row, isPart } = found[i];
      const at = isPart ? row : `${row}.${problem.column}`;
      throw invalid(at, `Wrong value for ${at}: ${problem.message}`, { value: problem.value });
    }
  }

  /** Posts are not in a snapshot: those that it refers to exist, and the account may promote them. */
  private async requirePosts(saved: SavedAccount, place: string): Promise<void> {
    const columns = snapshotTables().map(({ name, columnsOf }) => [name, columnsOf('post')] as const);
    const named = referencesIn(saved, place, Object.fromEntries(columns));
    const { posts } = await this.posts.find({ id: saved.account_id, db: this.db.manager }, idsOf(named), 'post_ids');
    for (const { at, id } of named)
      if (!posts.has(id)) throw unusable(at, 'the id of a post that the account may promote', id);
  }

  /** Drafts and posts that go live are those of users in whose name the importer may post. */
  private async requireComposers(saved: SavedAccount, place: string, target: ImportTarget): Promise<void> {
    const importer = await this.access.find('sandbox', target.accountId, target.userId);
    const authors = referencesIn(saved, place, { draft_posts: ['userId'], scheduled_posts: ['userId'] });
    for (const { at, id, row } of authors) {
      const { nullcast, deletedAt, scheduledStatus = 'SCHEDULED' } = row;
      if (deletedAt != null || scheduledStatus !== 'SCHEDULED') continue;
      if (!importer || !mayComposeFor(importer, id)) throw unusable(at, 'a user in whose name you may post', id);
      if (nullcast === false && id !== target.userId) {
        const cast = at.replace(/userId$/, 'nullcast');
        throw unusable(cast, 'true, because only its author posts in a timeline,', nullcast);
      }
    }
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
      if (!media) throw unusable(at, 'the id of an upload that the account may use', id);
      const expected = mediaColumns(media);
      const wrong = Object.entries(expected).find(([column, value]) => String(row[column]) !== String(value));
      if (wrong) {
        const place = at.replace(/mediaId$/, wrong[0]);
        throw unusable(place, `${JSON.stringify(wrong[1])}, that of upload ${id},`, row[wrong[0]]);
      }
      if (row.posterFile !== null && !files.has(row.posterFile as string))
        throw unusable(at.replace(/mediaId$/, 'posterFile'), 'the file of a media of the library', row.posterFile);
    }
    for (const { at, id } of referencesIn(saved, place, { account_media: ['file'] }))
      if (!files.has(id)) throw unusable(at, 'the file of a media of the library', id);
  }

  /** The accounts of an import may share with each other; with others, as requests may. */
  private async requireGrants(saved: SavedAccount, place: string, to: readonly string[]): Promise<void> {
    const named = referencesIn(saved, place, { audience_permissions: ['grantedAccountId'] });
    const foreign = idsOf(named).filter((id) => !to.includes(id));
    const { problems } = await this.sharing.validateAll(this.db.manager, { id: saved.account_id }, foreign);
    for (const { at, id } of named)
      if (id === saved.account_id || (problems.get(id) ?? []).length > 0)
        throw unusable(at, 'an account with which the account may share audiences', id);
  }

  private async requireCategories(saved: SavedAccount, place: string): Promise<void> {
    const curated = referencesIn(saved, place, { line_item_curated_categories: ['curatedCategoryId'] });
    const found = await rows(this.db.manager, CuratedCategory).withDeleted().whereIn('id', idsOf(curated)).getMany();
    const known = new Set(found.map(({ id }) => id));
    for (const { at, id } of curated) if (!known.has(id)) throw unusable(at, 'the id of a curated category', id);
    const iab = await this.iabCategories.ids();
    for (const [i, { categories }] of (saved.tables.line_items ?? []).entries()) {
      const unknown = (categories as string[]).find((each) => !iab.has(each));
      if (unknown !== undefined)
        throw unusable(`${place}.tables.line_items[${i}].categories`, 'ids of IAB categories', unknown);
    }
  }
}

/** The columns of an upload in the library. */
const mediaColumns = ({ category, id, file, size, contentType, mediaType, width, height, duration }: Row<Media>) => ({
  mediaKey: uploadKeyOf({ category, id }) ?? null,
  file,
  size,
  contentType,
  mediaCategory: category,
  mediaType,
  width,
  height,
  duration,
});

const unusable = (at: string, expected: string, value: unknown) =>
  invalid(at, `Expected ${expected} for ${at}, got ${JSON.stringify(value)}`, { value });

interface Reference {
  at: string;
  id: string;
  row: SavedRow;
}

/** The references in columns of a saved account, without null. */
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

const idsIn = (rows: readonly SavedRow[] = []): ReadonlySet<string> => new Set(rows.map(({ id }) => id as string));
