import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { locationAt } from '../../audiences/locations/locations.js';
import { exists } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { Page } from '../../common/http/answers/page.js';
import { Created } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { lockSets } from '../criterion-sets/targeting-criteria.statements.js';
import { TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { CuratedCategory } from '../entities/curated-category.entity.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { CuratedCategoriesService } from '../reference/curated-categories/curated-categories.service.js';
import { LIMITS } from '../targeting-values/targeting-types.js';
import type {
  CreateLineItemCuratedCategory,
  ListLineItemCuratedCategories,
  UpdateLineItemCuratedCategory,
} from './line-item-curated-categories.dto.js';
import { LINE_ITEM_CURATED_CATEGORIES, type LineItemCuratedCategory } from './line-item-curated-category.entity.js';
import { problemsOfChoice, type CategoryChoice, type Targeted } from './line-item-curated-category.rules.js';

type ChosenRow = Row<LineItemCuratedCategory>;

/** Lists, creates, updates and deletes the curated categories of line items. */
@Injectable()
export class LineItemCuratedCategoriesService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly categories: CuratedCategoriesService,
  ) {}

  list(account: ActingAccount, query: ListLineItemCuratedCategories): Promise<Page<ChosenRow>> {
    const chosen = this.resources
      .of(account, LINE_ITEM_CURATED_CATEGORIES)
      .whereIn('id', query.line_item_curated_category_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, chosen, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<ChosenRow> {
    return this.items.getBelonging(account, LINE_ITEM_CURATED_CATEGORIES, id, query);
  }

  /** Returns the existing one unchanged if the line item already has this category. */
  create(account: ActingAccount, request: Parsed<CreateLineItemCuratedCategory>): Promise<Created<ChosenRow>> {
    return this.resources.changeLocked(account, LINE_ITEM_CURATED_CATEGORIES, [request], async (unit) => {
      const choice = await this.lockedChoice(unit, sentIn(request));
      const params = request.paramsUnless(problemsOfChoice(account, choice));
      if (choice.line?.chosen) return new Created(choice.line.chosen, false);
      const { line_item_id: lineItemId, curated_category_id: curatedCategoryId } = params;
      unit.require(...needs(account, lineItemId, curatedCategoryId));
      return new Created(unit.create({ accountId: account.id, lineItemId, curatedCategoryId }), true);
    });
  }

  /** Changes the category, the line item or both. Unchanged values are not validated again. */
  update(account: ActingAccount, id: string, request: Parsed<UpdateLineItemCuratedCategory>): Promise<ChosenRow> {
    return this.resources.changeLocked(account, LINE_ITEM_CURATED_CATEGORIES, [request], async (unit) => {
      const before = await unit.lockOne(id, { narrow: (chosen) => this.items.ofShown(account, chosen) });
      const after = wanted(before, sentIn(request));
      const choice = after ? without(id, await this.lockedChoice(unit, after)) : {};
      request.paramsUnless(problemsOfChoice(account, choice, true));
      if (!after) return before;
      const { line_item_id: lineItemId, curated_category_id: curatedCategoryId } = after;
      unit.require(...needs(account, lineItemId, curatedCategoryId));
      return unit.update(id, { lineItemId, curatedCategoryId });
    });
  }

  delete(account: ActingAccount, id: string): Promise<ChosenRow> {
    return this.items.deleteBelonging(account, LINE_ITEM_CURATED_CATEGORIES, id);
  }

  /**
   * The choice. The line item's criteria remain unchanged, because they are validated depending on whether it has a
   * curated category.
   */
  private async lockedChoice(
    { account, db, isLocking }: UnitOfWork<LineItemCuratedCategory>,
    { line_item_id: lineItemId, curated_category_id: categoryId }: UpdateLineItemCuratedCategory,
  ): Promise<CategoryChoice> {
    if (isLocking && lineItemId !== undefined) await lockSets(db, account.id, [lineItemId]);
    const line = async (id: string) => {
      const item = await this.items.find(account, id, db);
      const chosen = await this.items.findBelonging(account, LINE_ITEM_CURATED_CATEGORIES, { lineItemId: id }, db);
      return { id, item, chosen, targeted: await targetedPlaces(db, account, id) };
    };
    return {
      line: lineItemId === undefined ? undefined : await line(lineItemId),
      curated:
        categoryId === undefined ? undefined : { id: categoryId, category: await this.categories.get(categoryId, db) },
    };
  }
}

/** The readable parameters. */
const sentIn = (request: Parsed<UpdateLineItemCuratedCategory>): UpdateLineItemCuratedCategory => ({
  ...request.known('line_item_id'),
  ...request.known('curated_category_id'),
});

/** The values after an update; undefined if nothing changes. */
function wanted(before: ChosenRow, sent: UpdateLineItemCuratedCategory): CreateLineItemCuratedCategory | undefined {
  const line_item_id = sent.line_item_id ?? before.lineItemId;
  const curated_category_id = sent.curated_category_id ?? before.curatedCategoryId;
  const isSame = line_item_id === before.lineItemId && curated_category_id === before.curatedCategoryId;
  return isSame ? undefined : { line_item_id, curated_category_id };
}

/** Ignores the row that is updated, so that it does not conflict with itself. */
const without = (id: string, { line, curated }: CategoryChoice): CategoryChoice => ({
  line: line?.chosen?.id === id ? { ...line, chosen: undefined } : line,
  curated,
});

/** Both must exist when the row is stored. Otherwise the request is validated again. */
const needs = (account: { id: string }, lineItemId: string, curatedCategoryId: string): Precondition[] => [
  lineItemIsAlive({ accountId: account.id, lineItemId }),
  exists(CuratedCategory, { id: curatedCategoryId }, () => new ConflictRetry()),
];

/**
 * The targeted countries of a line item, whether it targets content categories, and how many publishers it excludes, as curated
 * categories need them. A line item without location criteria targets every country.
 */
async function targetedPlaces(db: EntityManager, account: { id: string }, lineItemId: string): Promise<Targeted> {
  const places = await rows(db, TargetingCriterion)
    .where('accountId', account.id)
    .where('lineItemId', lineItemId)
    .whereLiteral('targetingType', 'LOCATION')
    .whereLiteral('operatorType', 'EQ')
    .limit(LIMITS.locations)
    .getMany();
  const others = await rows(db, TargetingCriterion)
    .where('accountId', account.id)
    .where('lineItemId', lineItemId)
    .whereIn('targetingType', ['IAB_CATEGORY', 'CONTENT_PUBLISHER_USER'])
    .limit(LIMITS['criteria of each other type'])
    .getMany();
  const publishers = others.filter(({ targetingType: type }) => type === 'CONTENT_PUBLISHER_USER').length;
  const targeted = { contentCategories: others.length > publishers, publishers };
  const countries = new Set(places.flatMap(({ targetingValue }) => locationAt(targetingValue)?.countryCode ?? []));
  return countries.size === 0 ? targeted : { ...targeted, countries: [...countries] };
}
