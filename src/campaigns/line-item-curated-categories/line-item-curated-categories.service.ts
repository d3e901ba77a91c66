import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { exists } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/answers/page.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { lockSets } from '../criterion-sets/targeting-criteria.statements.js';
import { CuratedCategoriesService } from '../reference/curated-categories/curated-categories.service.js';
import { CuratedCategory } from '../entities/curated-category.entity.js';
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
type ChosenPair = CreateLineItemCuratedCategory;
type ChangeChosen = UpdateLineItemCuratedCategory & { line_item_curated_category_id: string };

/** The data that the rules need. */
interface Context {
  account: ActingAccount;
  choice: Choice;
}

@Injectable()
export class LineItemCuratedCategoriesService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly categories: CuratedCategoriesService,
    private readonly places: TargetedPlaces,
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

  create(account: ActingAccount, request: Parsed<CreateLineItemCuratedCategory>): Promise<Made<ChosenRow>> {
    return this.resources.perform(account, this.creation, request);
  }

  /** Changes the category, the line item or both. Unchanged values are not validated again. */
  update(account: ActingAccount, id: string, request: Parsed<UpdateLineItemCuratedCategory>): Promise<ChosenRow> {
    return this.resources.perform(account, this.change, request.with({ line_item_curated_category_id: id }));
  }

  delete(account: ActingAccount, id: string): Promise<ChosenRow> {
    return this.items.deleteBelonging(account, LINE_ITEM_CURATED_CATEGORIES, id);
  }

  private readonly creation = defineWrite<
    LineItemCuratedCategory,
    CreateLineItemCuratedCategory,
    Context,
    Made<ChosenRow>
  >(LINE_ITEM_CURATED_CATEGORIES, {
    locking: () => ({ transaction: true }),
    context: async ({ account, db }, [request]) => {
      const sent = { ...request.known('line_item_id'), ...request.known('curated_category_id') };
      return { account, choice: await this.lockedChoice(account, sent, db) };
    },
    problems: (_, { account, choice }) => problemsOfChoice(account, choice),
    apply: (unitOfWork, params, { account, choice }) => {
      if (choice.line?.chosen) return new Made(choice.line.chosen, false);
      const { line_item_id: lineItemId, curated_category_id: curatedCategoryId } = params;
      unitOfWork.require(...needs(account, lineItemId, curatedCategoryId));
      return new Made(unitOfWork.create({ accountId: account.id, lineItemId, curatedCategoryId }), true);
    },
  });

  private readonly change = defineWrite<LineItemCuratedCategory, ChangeChosen, Context & { after?: ChosenPair }>(
    LINE_ITEM_CURATED_CATEGORIES,
    {
      target: 'line_item_curated_category_id',
      narrow: (chosen, account) => this.items.ofShown(account, chosen),
      context: async ({ account, db, unitOfWork }, [request]) => {
        const [before] = unitOfWork.stored.values();
        const sent = { ...request.known('line_item_id'), ...request.known('curated_category_id') };
        const after = before && wanted(before, sent);
        if (!after) return { account, choice: {} };
        return { account, after, choice: without(before.id, await this.lockedChoice(account, after, db)) };
      },
      problems: (_, { account, choice }) => problemsOfChoice(account, choice),
      apply: (unitOfWork, _, { account, after }, before) => {
        if (!after) return before;
        const { line_item_id: lineItemId, curated_category_id: curatedCategoryId } = after;
        unitOfWork.require(...needs(account, lineItemId, curatedCategoryId));
        return unitOfWork.update(before.id, { lineItemId, curatedCategoryId });
      },
    },
  );

  /**
   * The choice. The line item's criteria remain unchanged, because they are validated depending on whether it has a
   * curated category.
   */
  private async lockedChoice(
    account: ActingAccount,
    sent: UpdateLineItemCuratedCategory,
    db: EntityManager,
  ): Promise<Choice> {
    if (db.queryRunner && sent.line_item_id !== undefined) await lockSets(db, account.id, [sent.line_item_id]);
    return this.choice(account, sent, db);
  }

  private async choice(
    account: ActingAccount,
    { line_item_id: lineItemId, curated_category_id: categoryId }: UpdateLineItemCuratedCategory,
    db?: EntityManager,
  ): Promise<Choice> {
    const line = async (id: string) => {
      const item = await this.items.find(account, id, db);
      const chosen = await this.items.findBelonging(account, LINE_ITEM_CURATED_CATEGORIES, { lineItemId: id }, db);
      return { id, item, chosen, targeted: await this.places.of(id, db) };
    };
    return {
      line: lineItemId === undefined ? undefined : await line(lineItemId),
      curated:
        categoryId === undefined ? undefined : { id: categoryId, category: await this.categories.get(categoryId, db) },
    };
  }
}

/** The values after an update; undefined if nothing changes. */
function wanted(before: ChosenRow, sent: UpdateLineItemCuratedCategory): CreateLineItemCuratedCategory | undefined {
  const line_item_id = sent.line_item_id ?? before.lineItemId;
  const curated_category_id = sent.curated_category_id ?? before.curatedCategoryId;
  const isSame = line_item_id === before.lineItemId && curated_category_id === before.curatedCategoryId;
  return isSame ? undefined : { line_item_id, curated_category_id };
}

/** Ignores the row that is updated, so that it does not conflict with itself. */
const without = (id: string, { line, curated }: Choice): Choice => ({
  line: line?.chosen?.id === id ? { ...line, chosen: undefined } : line,
  curated,
});

/** Both must exist when the row is stored. Otherwise the request is validated again. */
const needs = (account: { id: string }, lineItemId: string, curatedCategoryId: string): Precondition[] => [
  lineItemIsAlive({ accountId: account.id, lineItemId }),
  exists(CuratedCategory, curatedCategoryId, () => new ConflictRetry()),
];
