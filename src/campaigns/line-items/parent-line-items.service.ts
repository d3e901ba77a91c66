import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import type { ResourceDefinition, ResourceRow } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { ColumnOf, Row, Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import type { ProductType } from '../entities/line-item.tables.js';
import { countsAsShown, type ShownThing } from '../shown-things.js';
import { decrementCreatives } from '../statements/line-item.statements.js';

type LineItemRow = Row<LineItem>;

/** A resource that belongs to a line item. */
type Belonging = Resource & { lineItemId: string };

/** Line items for the resources that belong to them: promoted posts, media creatives, targeting criteria and others. */
@Injectable()
export class ParentLineItems {
  constructor(private readonly resources: Resources) {}

  /**
   * The existing line items with these ids, whose campaigns exist too. A resource of a line item reads it here, and the
   * storing statement checks that it still exists (`lineItemIsAlive`).
   */
  async byId(account: AccountReader, ids: Iterable<string>, db?: EntityManager): Promise<Map<string, LineItemRow>> {
    const wanted = this.of(account, false, db).whereIn('id', [...new Set(ids)]);
    return new Map((await wanted.getMany()).map((item) => [item.id, item]));
  }

  /** One of these line items; undefined also without an id, such as that of a rejected parameter. */
  async find(account: AccountReader, id: string | undefined, db?: EntityManager): Promise<LineItemRow | undefined> {
    return id === undefined ? undefined : (await this.byId(account, [id], db)).get(id);
  }

  /**
   * The ids of all line items that lists return. Resources of other line items are only listed together with deleted
   * ones.
   */
  shown(account: AccountReader, db?: EntityManager): Rows<LineItem> {
    return this.of(account, false, db);
  }

  /**
   * Resources that belong to line items. Excludes resources of deleted line items, unless deleted ones are requested.
   */
  ofShown<T extends { lineItemId: string }>(
    account: AccountReader,
    belongings: Rows<T>,
    { with_deleted }: { with_deleted?: boolean } = {},
  ): Rows<T> {
    if (with_deleted) return belongings;
    return belongings.whereInSubquery('lineItemId' as ColumnOf<T>, this.shown(account, belongings.db), 'id');
  }

  /** One resource of a line item that lists return, or also of a deleted one if `query` includes deleted resources. */
  getBelonging<T extends Belonging>(
    account: AccountReader,
    definition: ResourceDefinition<T>,
    id: string,
    query?: OneQuery,
  ): Promise<Row<T>> {
    const belongings = this.ofShown(account, this.resources.of(account, definition), query);
    return one(belongings, id, definition.notFoundError(account), query);
  }

  /** The resource with these values; undefined also if a value is absent, such as that of a rejected parameter. */
  async findBelonging<T extends Belonging>(
    account: AccountReader,
    definition: ResourceDefinition<T>,
    values: { [C in ColumnOf<T>]?: Row<T>[C] },
    db?: EntityManager,
  ): Promise<Row<T> | undefined> {
    const belongings = this.resources.of(account, definition, db);
    for (const column of Object.keys(values) as ColumnOf<T>[]) {
      const value = values[column];
      if (value === undefined) return undefined;
      belongings.where(column, value);
    }
    return belongings.getOne();
  }

  /** The product types of the line items with these ids, including deleted ones. Ignores unknown ids. */
  async productTypes(account: AccountReader, ids: readonly string[]): Promise<Set<ProductType>> {
    const found = await this.of(account, true)
      .withDeleted()
      .whereIn('id', [...new Set(ids)])
      .getMany();
    return new Set(found.map(({ productType }) => productType));
  }

  /**
   * Deletes a resource of a line item that lists return. If the resource counts as a creative, the line item has one
   * creative less, possibly none.
   */
  deleteBelonging<T extends Belonging>(
    account: ActingAccount,
    definition: ResourceDefinition<T>,
    id: string,
    thing?: ShownThing,
  ): Promise<ResourceRow<T>> {
    return this.resources.changeLocked(account, definition, [], async (unit) => {
      await unit.lock([id], { mode: 'pessimistic_write', narrow: (belongings) => this.ofShown(account, belongings) });
      const deleted = unit.delete(id);
      if (!thing) return deleted;
      const { lineItemId } = deleted as unknown as { lineItemId: string };
      const item = (await this.byId(account, [lineItemId], unit.db)).get(lineItemId);
      // The line item was deleted after the resource was found, so the resource is no longer listed either.
      if (!item) throw definition.notFoundError(account)(id);
      if (countsAsShown(thing, item.objective))
        await decrementCreatives(unit.db, account.id, unit, [{ lineItemId, by: 1 }]);
      return deleted;
    });
  }

  /** The line items of an account. Those of deleted campaigns are only included together with deleted ones. */
  of(account: AccountReader, withDeleted = false, db?: EntityManager): Rows<LineItem> {
    const items = this.resources.of(account, LINE_ITEMS, db);
    return withDeleted ? items : items.whereTrue('campaignDeleted', false);
  }
}
