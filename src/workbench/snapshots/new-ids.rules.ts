import { createHash } from 'node:crypto';
import { leavesOf, type Segment } from '../../audiences/entities/segments.js';
import type { OwnProductSets } from '../../catalogs/advertised-products/own-product-sets.js';
import { TARGETING_REFERENCE_KINDS, type TargetingType } from '../../campaigns/targeting-values/targeting-types.js';
import { invalid } from '../../common/errors/catalogue.js';
import { isObject } from '../../common/values/is-object.js';
import type { AudienceCriterion } from '../../statistics/facts/delivery-audience.entity.js';
import type { SavedAccount, SavedRow } from './snapshot-file.rules.js';
import { snapshotTables, type ColumnReference, type SnapshotTable } from './snapshot-tables.js';

/** The account that a saved account becomes. */
export interface ImportTarget {
  accountId: string;
  /** The user who imports. */
  userId: string;
  /** The users whose posts the account may promote, the FULL one first. */
  promotableUserIds: readonly string[];
  /** The product catalog of that user, and those of its sets that the file names. */
  products: OwnProductSets;
  /** The value that the store has for a location, from the one that a store of another age has. */
  locationOf: (value: string) => string;
  /** A new id for a row of a table. */
  newIdIn: (table: SnapshotTable) => string;
}

/** An audience that is not in the file, and where it is named. */
interface ForeignAudience {
  at: string;
  id: string;
}

/** A saved account with new ids. */
export interface RenewedAccount extends SavedAccount {
  /** The audiences of other accounts in its flexible audiences. Those that criteria name are not listed. */
  foreignAudiences: ForeignAudience[];
  /** The audiences that it will see: its own, and those that other accounts of the file share with it. */
  visibleAudiences: ReadonlySet<string>;
}

type Ids = ReadonlyMap<string, string>;

/**
 * Saved accounts as other accounts have them: with new ids, because the ids of most rows are unique in all accounts. What a
 * row names is a row of its account in the file, or an audience that another account of the file shares with it. Throws the
 * 400 of the first reference to anything else, except those that an account can have to rows outside of a file: posts, media,
 * reference data, and audiences that are shared with it.
 */
export function withNewIds(saved: readonly SavedAccount[], targets: readonly ImportTarget[]): RenewedAccount[] {
  const ids = saved.map((account, i) => newIdsOf(account, targets[i]));
  const accountIds = new Map(saved.map(({ account_id: id }, i) => [id, targets[i].accountId]));
  const flexible = new Set(saved.flatMap((account, i) => flexibleIn(account, ids[i])));
  return saved.map((account, i) => {
    const audiences = new Map([
      ...sharedWith(account.account_id, saved, ids),
      ...(ids[i].get('custom_audiences') ?? []),
    ]);
    return new AccountRenewal(account, `accounts[${i}]`, ids[i], audiences, flexible, accountIds, targets[i]).renewed();
  });
}

/** The new id of each row, by table. The new ids have the order of the old ones, which is that of lists. */
function newIdsOf({ tables }: SavedAccount, { newIdIn }: ImportTarget): Map<string, Ids> {
  return new Map(
    snapshotTables().map((table) => {
      const ids = (tables[table.name] ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).sort();
      return [table.name, new Map(ids.map((id) => [id, newIdIn(table)]))];
    }),
  );
}

/** The new ids of the flexible audiences of an account. */
const flexibleIn = ({ tables }: SavedAccount, ids: ReadonlyMap<string, Ids>): string[] =>
  (tables.custom_audiences ?? [])
    .filter(({ audienceType }) => audienceType === 'FLEXIBLE')
    .flatMap(({ id }) => ids.get('custom_audiences')?.get(id as string) ?? []);

/** The audiences that other accounts of a file share with one, with their new ids. */
function sharedWith(
  accountId: string,
  saved: readonly SavedAccount[],
  ids: readonly ReadonlyMap<string, Ids>[],
): [string, string][] {
  return saved.flatMap(({ tables }, i) =>
    (tables.audience_permissions ?? []).flatMap(({ customAudienceId, grantedAccountId, deletedAt }) => {
      const id = ids[i].get('custom_audiences')?.get(customAudienceId as string);
      const isShared = grantedAccountId === accountId && deletedAt == null && id !== undefined;
      return isShared ? [[customAudienceId as string, id] as [string, string]] : [];
    }),
  );
}

/** Gives the rows of one account new ids. */
class AccountRenewal {
  private readonly foreignAudiences: ForeignAudience[] = [];
  private readonly mediaKeys: ReadonlySet<unknown>;
  private readonly savedAudiences: ReadonlyMap<unknown, SavedRow>;

  constructor(
    private readonly saved: SavedAccount,
    private readonly place: string,
    private readonly ids: Map<string, Ids>,
    private readonly audiences: Ids,
    /** The new ids of the flexible audiences of the file, of which no other one is made: counts would never end. */
    private readonly flexible: ReadonlySet<string>,
    /** Of the accounts of the file, by those that they were. */
    private readonly accountIds: Ids,
    private readonly target: ImportTarget,
  ) {
    this.savedAudiences = new Map((saved.tables.custom_audiences ?? []).map((row) => [row.id, row]));
    this.mediaKeys = new Set((saved.tables.library_media ?? []).map(({ mediaKey }) => mediaKey));
  }

  renewed(): RenewedAccount {
    const { saved, target } = this;
    const delivered = saved.tables.delivery_audiences;
    // facts refer to these by a hash of what they consist of
    if (delivered) this.ids.set('delivery_audiences', this.deliveryIds(delivered));
    const tables = snapshotTables().flatMap((table) => {
      const { name, derived } = table;
      const rows = derived ? undefined : saved.tables[name];
      const renew = (row: SavedRow, i: number) => this.row(table, row, `${this.place}.tables.${name}[${i}]`);
      return rows ? [[name, rows.map(renew)] as const] : [];
    });
    return {
      account_id: target.accountId,
      tables: Object.fromEntries(tables),
      foreignAudiences: this.foreignAudiences,
      visibleAudiences: new Set(this.audiences.values()),
    };
  }

  private row(table: SnapshotTable, row: SavedRow, at: string): SavedRow {
    const { ids, target } = this;
    const result: SavedRow = { ...row };
    if (typeof row.id === 'string') result.id = ids.get(table.name)!.get(row.id);
    if ('accountId' in row) result.accountId = target.accountId;
    for (const reference of table.rowReferences)
      if (reference.column in row) result[reference.column] = this.reference(reference, row, at);
    for (const column of table.columnsOf('media')) this.requireMedia(row[column], `${at}.${column}`);
    for (const column of table.columnsOf('actor')) result[column] = target.userId;
    for (const column of table.columnsOf('promoted user'))
      if (row[column] != null) result[column] = promoted(row[column], target);
    return { ...result, ...this.special(table.name, row, at) };
  }

  /** The columns of a table that need more than a look at one id. */
  private special(name: string, row: SavedRow, at: string): SavedRow {
    const { ids } = this;
    switch (name) {
      case 'ab_tests':
        return { entityIds: this.testedIds(row, `${at}.entityIds`), userGroups: this.renewedGroups(row) };
      case 'cards':
        return { content: this.renewedForms(row.content, `${at}.content`) };
      case 'targeting_criteria': {
        const { targetingType: type, targetingValue: value } = row;
        return { targetingValue: this.value(type as string, value as string, `${at}.targetingValue`) };
      }
      case 'line_items': {
        // older rows name tags that no account has
        const { primaryWebEventTag: tag } = row;
        return { primaryWebEventTag: ids.get('web_event_tags')?.get(tag as string) ?? tag, ...this.products(row) };
      }
      case 'delivery_audiences':
        return { criteria: this.criteria(row, at) };
      case 'custom_audiences':
        return { segments: this.segments(row.segments, `${at}.segments`) };
      case 'audience_permissions':
        return { grantedAccountId: this.accountIds.get(row.grantedAccountId as string) ?? row.grantedAccountId };
      case 'audience_sizings':
        return this.sizing(row);
      case 'library_media':
        return { terms: (row.terms as string[]).map((term) => withPrefix(term, this.target.accountId)) };
      default:
        return {};
    }
  }

  /** The product set of a line item. Catalogs are no part of a file: those of other users and services become null. */
  private products({ catalogId, productSetId }: SavedRow): SavedRow {
    const { products } = this.target;
    return catalogId != null && catalogId === products.catalogId && products.setIds.has(productSetId as string)
      ? {}
      : { catalogId: null, productSetId: null };
  }

  /** The new id that a column refers to. */
  private reference({ column, tables, tableFor, optional }: ColumnReference, row: SavedRow, at: string): unknown {
    const value = row[column];
    if (value === null || (value === '' && optional)) return value;
    const possible = tableFor ? [tableFor(row)] : tables;
    const found = possible.map((table) => this.ids.get(table)?.get(value as string)).find((id) => id !== undefined);
    if (found !== undefined) return found;
    throw notInFile(`${at}.${column}`, possible.join(' or '), value);
  }

  /** The new ids of the campaigns or line items of an A/B test. */
  private testedIds({ entityType, entityIds }: SavedRow, at: string): string[] {
    const table = entityType === 'CAMPAIGN' ? 'campaigns' : 'line_items';
    return (entityIds as string[]).map((id, i) => {
      const found = this.ids.get(table)?.get(id);
      if (found === undefined) throw notInFile(`${at}[${i}]`, table, id);
      return found;
    });
  }

  /** The groups of an A/B test, whose ids nothing else names. */
  private renewedGroups({ userGroups }: SavedRow): object[] {
    const table = snapshotTables().find(({ name }) => name === 'ab_tests')!;
    return (userGroups as object[]).map((group) => ({ ...group, id: this.target.newIdIn(table) }));
  }

  /** The content of a card with the new ids of the lead forms that it leads to, at any depth. */
  private renewedForms(value: unknown, at: string): unknown {
    if (Array.isArray(value)) return value.map((each, i) => this.renewedForms(each, `${at}[${i}]`));
    if (!isObject(value)) return value;
    if (value.type !== 'LEAD_FORM')
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.renewedForms(each, `${at}.${name}`)])); // prettier-ignore
    const id = this.ids.get('lead_forms')?.get(value.id as string);
    if (id === undefined) throw notInFile(`${at}.id`, 'lead_forms', value.id);
    return { ...value, id };
  }

  /** The value of a criterion, which is an id for some types. */
  private value(type: string, value: string, at: string): string {
    if (type === 'LOCATION') return this.target.locationOf(value);
    switch (TARGETING_REFERENCE_KINDS[type as TargetingType]) {
      case 'app list':
        // older rows name apps
        return this.ids.get('app_lists')?.get(value) ?? value;
      case 'audience':
        return this.audiences.get(value) ?? value;
      case 'own user':
        return this.target.promotableUserIds.at(0) ?? value;
      case 'campaign': {
        const found = this.ids.get('campaigns')?.get(value);
        if (found === undefined) throw notInFile(at, 'campaigns', value);
        return found;
      }
      default:
        return value;
    }
  }

  private criteria({ criteria }: SavedRow, at: string): AudienceCriterion[] {
    return (criteria as AudienceCriterion[])
      .map(([type, value, operator], i): AudienceCriterion => [
        type,
        this.value(type, value, `${at}.criteria[${i}][1]`),
        operator,
      ])
      .sort(inOrder);
  }

  /** The new ids of audiences of delivery. */
  private deliveryIds(rows: readonly SavedRow[]): Ids {
    const taken = new Set<string>();
    const at = `${this.place}.tables.delivery_audiences`;
    return new Map(
      rows.map((row, i) => {
        const [, test, part] = (row.id as string).split('.');
        const ofTest = test === undefined ? [] : [this.ids.get('ab_tests')?.get(test) ?? test, part];
        const id = [hashOf(this.criteria(row, `${at}[${i}]`)), ...ofTest].join('.');
        // two audiences that differ in the user whom they follow can become one; their facts stay apart
        const renewed = taken.has(id) ? (row.id as string) : id;
        taken.add(renewed);
        return [row.id as string, renewed];
      }),
    );
  }

  private segments(value: unknown, at: string): unknown {
    if (!isObject(value)) return value;
    const { custom_audience_id: id, child_segments: children } = value as { [name: string]: unknown };
    const result: Record<string, unknown> = { ...value };
    if (typeof id === 'string') {
      const found = this.audiences.get(id);
      result.custom_audience_id = found ?? id;
      if (found === undefined) this.foreignAudiences.push({ at: `${at}.custom_audience_id`, id });
      else if (this.flexible.has(found)) throw notMadeOf(`${at}.custom_audience_id`, id);
    }
    if (Array.isArray(children))
      result.child_segments = children.map((child, i) => this.segments(child, `${at}.child_segments[${i}]`));
    return result;
  }

  /** The values of a sizing follow from its audience. */
  private sizing({ audienceId: id }: SavedRow): SavedRow {
    const audience = this.savedAudiences.get(id);
    if (!audience) return { kind: 'DO_NOT_REACH_LIST', madeOf: null };
    const { segments } = audience;
    const leaves = isObject(segments) ? leavesOf(segments as unknown as Segment) : [];
    const named = leaves.map((leaf) => this.audiences.get(leaf.custom_audience_id) ?? leaf.custom_audience_id);
    return { kind: 'CUSTOM_AUDIENCE', madeOf: named.length > 0 ? [...new Set(named)] : null };
  }

  private requireMedia(value: unknown, at: string): void {
    const keys = Array.isArray(value) ? (value as unknown[]) : value == null ? [] : [value];
    const absent = keys.find((key) => !this.mediaKeys.has(key));
    if (absent === undefined) return;
    throw invalid(at, `Expected keys of library_media in the file for ${at}, got ${JSON.stringify(absent)}`, {
      value: absent,
    });
  }
}

/** The 400 of a flexible audience that is made of another one, or of itself. */
export const notMadeOf = (at: string, id: string) =>
  invalid(at, `Expected a CRM or MOBILE_AUDIENCE audience, got the FLEXIBLE one ${JSON.stringify(id)} for ${at}`, {
    value: id,
  });

function notInFile(at: string, tables: string, value: unknown) {
  return invalid(at, `Expected the id of a row of ${tables} in the file for ${at}, got ${JSON.stringify(value)}`, {
    value,
  });
}

const promoted = (userId: unknown, { promotableUserIds, userId: importer }: ImportTarget): string =>
  promotableUserIds.includes(userId as string) ? (userId as string) : (promotableUserIds.at(0) ?? importer);

/** Terms of the library begin with the account and a space. */
const withPrefix = (term: string, accountId: string): string =>
  `${accountId}${term.slice(Math.max(0, term.indexOf(' ')))}`;

/** The order of criteria, and the hash of a set of them: as `SET_ID` in targeted-sets.statements.ts has them. */
const inOrder = (one: AudienceCriterion, other: AudienceCriterion): number =>
  one.map((part, i) => Buffer.compare(Buffer.from(part), Buffer.from(other[i]))).find((order) => order !== 0) ?? 0;

function hashOf(criteria: readonly AudienceCriterion[]): string {
  const parts = criteria.map(([type, value, operator]) => `${type} ${operator} ${[...value].length} ${value}`);
  return createHash('md5').update(parts.join(' ')).digest('hex').slice(0, 16);
}
