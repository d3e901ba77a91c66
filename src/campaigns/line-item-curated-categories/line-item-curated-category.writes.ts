import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { exists } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { Made } from '../../common/http/answers/made.js';
import { lockSets } from '../criterion-sets/targeting-criteria.statements.js';
import { CuratedCategory } from '../entities/curated-category.entity.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { CuratedCategoriesService } from '../reference/curated-categories/curated-categories.service.js';
import type {
  CreateLineItemCuratedCategory,
  UpdateLineItemCuratedCategory,
} from './line-item-curated-categories.dto.js';
import type { LineItemCuratedCategory } from './line-item-curated-category.entity.js';
import { LINE_ITEM_CURATED_CATEGORIES } from './line-item-curated-category.resource.js';
import { problemsOfChoice, type Choice } from './line-item-curated-category.rules.js';
import { targetedPlaces } from './targeted-places.js';

type ChosenRow = Row<LineItemCuratedCategory>;
type ChosenPair = CreateLineItemCuratedCategory;
type ChangeChosen = UpdateLineItemCuratedCategory & { line_item_curated_category_id: string };

/** The data that the rules need. */
interface Context {
  account: ActingAccount;
  choice: Choice;
}

/** Attaches curated categories to line items, and changes them. */
@Injectable()
export class LineItemCuratedCategoryWrites {
  constructor(
    private readonly items: ParentLineItems,
    private readonly categories: CuratedCategoriesService,
  ) {}

  /** Returns the existing one unchanged if the line item already has this category. */
  readonly create = defineWrite<LineItemCuratedCategory, CreateLineItemCuratedCategory, Context, Made<ChosenRow>>(
    LINE_ITEM_CURATED_CATEGORIES,
    {
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
    },
  );

  /** Unchanged values are not validated again. */
  readonly update = defineWrite<LineItemCuratedCategory, ChangeChosen, Context & { after?: ChosenPair }>(
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
    { line_item_id: lineItemId, curated_category_id: categoryId }: UpdateLineItemCuratedCategory,
    db: EntityManager,
  ): Promise<Choice> {
    if (db.queryRunner && lineItemId !== undefined) await lockSets(db, account.id, [lineItemId]);
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
  exists(CuratedCategory, { id: curatedCategoryId }, () => new ConflictRetry()),
];
