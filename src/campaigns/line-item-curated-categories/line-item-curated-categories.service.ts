import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { exists } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { Made } from '../../common/http/made.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page, type Page } from '../../common/list/page.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { LineItemsService } from '../line-items/line-items.service.js';
import { lockSets } from '../targeting-criteria/targeting-criteria.statements.js';
import { CuratedCategoriesService } from '../reference/curated-categories/curated-categories.service.js';
import { CuratedCategory } from '../reference/curated-categories/curated-category.entity.js';
import type {
  CreateLineItemCuratedCategory,
  ListLineItemCuratedCategories,
  UpdateLineItemCuratedCategory,
} from './line-item-curated-categories.dto.js';
import type { LineItemCuratedCategory } from './line-item-curated-category.entity.js';
import { LINE_ITEM_CURATED_CATEGORIES } from './line-item-curated-category.resource.js';
import { problemsOfChoice, type Choice } from './line-item-curated-category.rules.js';
import { TargetedPlaces } from './targeted-places.service.js';

type ChosenRow = Row<LineItemCuratedCategory>;

@Injectable()
export class LineItemCuratedCategoriesService {
  constructor(
    private readonly resources: Resources,
    private readonly items: LineItemsService,
    private readonly categories: CuratedCategoriesService,
    private readonly places: TargetedPlaces,
  ) {}

  list(account: ActingAccount, query: ListLineItemCuratedCategories): Promise<Page<ChosenRow>> {
    const chosen = this.of(account)
      .whereIn('id', query.line_item_curated_category_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, chosen, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<ChosenRow> {
    const chosen = this.items.ofShown(account, this.of(account), query);
    return one(chosen, id, LINE_ITEM_CURATED_CATEGORIES.notFoundError(account), query);
  }

  create(account: ActingAccount, params: CreateLineItemCuratedCategory): Promise<Made<ChosenRow>> {
    const { line_item_id: lineItemId, curated_category_id: curatedCategoryId } = params;
    const work = async (unitOfWork: UnitOfWork<LineItemCuratedCategory>, db: EntityManager) => {
      // its criteria are judged with a curated category or without
      await lockSets(db, account.id, [lineItemId]);
      const choice = await this.choice(account, params, db);
      refuseAny(problemsOfChoice(account, choice));
      if (choice.line?.chosen) return new Made(choice.line.chosen, false);
      unitOfWork.require(...needs(account, lineItemId, curatedCategoryId));
      return new Made(unitOfWork.create({ accountId: account.id, lineItemId, curatedCategoryId }), true);
    };
    return this.resources.edit(account, LINE_ITEM_CURATED_CATEGORIES, [], work, { transaction: true });
  }

  /** What is wrong with those parameters that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateLineItemCuratedCategory>): Promise<ApiError[]> {
    const named = { ...parsed.known('line_item_id'), ...parsed.known('curated_category_id') };
    return problemsOfChoice(account, await this.choice(account, named));
  }

  /** Another category, another line item, or both; what is as it was is not judged again. */
  update(account: ActingAccount, id: string, params: UpdateLineItemCuratedCategory): Promise<ChosenRow> {
    return this.resources.edit(
      account,
      LINE_ITEM_CURATED_CATEGORIES,
      (chosen) => this.items.ofShown(account, chosen.where('id', id)),
      async (unitOfWork, db) => {
        const before = unitOfWork.find(id);
        const after = wanted(before, params);
        if (!after) return before;
        await lockSets(db, account.id, [after.line_item_id]);
        refuseAny(problemsOfChoice(account, without(id, await this.choice(account, after, db))));
        const { line_item_id: lineItemId, curated_category_id: curatedCategoryId } = after;
        unitOfWork.require(...needs(account, lineItemId, curatedCategoryId));
        return unitOfWork.update(id, { lineItemId, curatedCategoryId });
      },
    );
  }

  /** The same for an update, that there is no such thing included. */
  async problemsOfPatch(
    account: ActingAccount,
    id: string,
    parsed: Parsed<UpdateLineItemCuratedCategory>,
  ): Promise<ApiError[]> {
    const before = await this.get(account, id);
    const after = wanted(before, { ...parsed.known('line_item_id'), ...parsed.known('curated_category_id') });
    return after ? problemsOfChoice(account, without(id, await this.choice(account, after))) : [];
  }

  delete(account: ActingAccount, id: string): Promise<ChosenRow> {
    return this.items.deleteBelonging(account, LINE_ITEM_CURATED_CATEGORIES, id);
  }

  private async choice(
    account: ActingAccount,
    { line_item_id: lineItemId, curated_category_id: categoryId }: UpdateLineItemCuratedCategory,
    db?: EntityManager,
  ): Promise<Choice> {
    const line = async (id: string) => {
      const item = (await this.items.byId(account, [id], db)).get(id);
      const chosen = await this.of(account, db).where('lineItemId', id).getOne();
      return { id, item, chosen, targeted: await this.places.of(id, db) };
    };
    return {
      line: lineItemId === undefined ? undefined : await line(lineItemId),
      curated:
        categoryId === undefined ? undefined : { id: categoryId, category: await this.categories.get(categoryId, db) },
    };
  }

  private of(account: ActingAccount, db?: EntityManager): Rows<LineItemCuratedCategory> {
    return this.resources.of(account, LINE_ITEM_CURATED_CATEGORIES, db);
  }
}

/** What it would be after an update; undefined where nothing changes. */
function wanted(before: ChosenRow, sent: UpdateLineItemCuratedCategory): CreateLineItemCuratedCategory | undefined {
  const line_item_id = sent.line_item_id ?? before.lineItemId;
  const curated_category_id = sent.curated_category_id ?? before.curatedCategoryId;
  const isSame = line_item_id === before.lineItemId && curated_category_id === before.curatedCategoryId;
  return isSame ? undefined : { line_item_id, curated_category_id };
}

/** One that is changed is not in its own way. */
const without = (id: string, { line, curated }: Choice): Choice => ({
  line: line?.chosen?.id === id ? { ...line, chosen: undefined } : line,
  curated,
});

/** Both are there when it is stored; else it is judged again. */
const needs = (account: { id: string }, lineItemId: string, curatedCategoryId: string): Precondition[] => [
  lineItemIsAlive({ accountId: account.id, lineItemId }),
  exists(CuratedCategory, curatedCategoryId, () => new ConflictRetry()),
];
