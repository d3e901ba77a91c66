import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import type { Row } from '../../common/db/query/rows.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import type { Page } from '../../common/http/answers/page.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import {
  TARGETING_CRITERION_OPERATIONS,
  type CreateTargetingCriterion,
  type ListTargetingCriteria,
} from './targeting-criteria.dto.js';
import type { TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { TARGETING_CRITERIA } from '../criterion-sets/targeting-criterion.resource.js';
import { inOrder, TargetingCriterionWrites, type WrittenCriterion } from './targeting-criterion.writes.js';

const MAX_BATCH_SIZE = 500;

type CriterionRow = Row<TargetingCriterion>;

/** The targeting criteria of line items: whom ads are shown to, and next to which content. */
@Injectable()
export class TargetingCriteriaService {
  constructor(
    private readonly lineItems: ParentLineItems,
    private readonly resources: Resources,
    private readonly writes: TargetingCriterionWrites,
  ) {}

  async list(account: ActingAccount, query: ListTargetingCriteria): Promise<Page<CriterionRow>> {
    const criteria = this.resources.of(account, TARGETING_CRITERIA).whereIn('id', query.targeting_criterion_ids);
    const { line_item_ids: ids } = query;
    if (query.with_deleted) criteria.whereIn('lineItemId', ids);
    else criteria.whereInSmallSubquery('lineItemId', this.lineItems.shown(account).whereIn('id', ids), 'id');
    return page(criteria, query);
  }

  get(account: ActingAccount, id: string, query: OneQuery): Promise<CriterionRow> {
    return this.lineItems.getBelonging(account, TARGETING_CRITERIA, id, query);
  }

  /** Creates a criterion, or returns the existing equal one of the line item. */
  create(account: ActingAccount, request: Parsed<CreateTargetingCriterion>): Promise<WrittenCriterion> {
    return inOrder((transaction) => this.resources.perform(account, this.writes.create, request, { transaction }));
  }

  async delete(account: ActingAccount, id: string): Promise<CriterionRow> {
    const named = Parsed.whole({ targeting_criterion_id: id });
    return (await this.resources.perform(account, this.writes.delete, named)).criterion;
  }

  /** Up to 500 operations, all or none. The final set of criteria of a line item is validated. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CriterionRow>> {
    const path = { account_id: account.id };
    const batch = await Batch.readLarge(body, MAX_BATCH_SIZE, TARGETING_CRITERION_OPERATIONS, path, []);
    const done = await inOrder((transaction) =>
      this.resources.performBatch<TargetingCriterion, typeof TARGETING_CRITERION_OPERATIONS, WrittenCriterion>(
        account,
        TARGETING_CRITERIA,
        this.writes.batch,
        batch,
        { transaction },
      ),
    );
    return done.map(({ criterion }) => criterion);
  }
}
