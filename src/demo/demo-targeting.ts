import type { INestApplicationContext } from '@nestjs/common';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { TargetingCriteriaService } from '../campaigns/targeting-criteria/targeting-criteria.service.js';

const UNITED_STATES = '96683cc9126741d1';
const COFFEE_AND_TEA = '9004';

/** The targeting of the demo's line item: a location, an audience, an interest, and a language to delete. */
export async function makeTargeting(
  app: INestApplicationContext,
  account: ActingAccount,
  ids: { line_item_id: string; custom_audience_id: string },
) {
  const criteria = [
    { targeting_type: 'LOCATION', targeting_value: UNITED_STATES },
    { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: ids.custom_audience_id, operator_type: 'EQ' },
    { targeting_type: 'INTEREST', targeting_value: COFFEE_AND_TEA },
    { targeting_type: 'LANGUAGE', targeting_value: 'en' },
  ];
  const operations = criteria.map((each) => ({
    operation_type: 'Create',
    params: { line_item_id: ids.line_item_id, ...each },
  }));
  const { items } = await app.get(TargetingCriteriaService).batch(account, operations);
  return { targeting_criterion_id: items[0].id, spare_targeting_criterion_id: items.at(-1)!.id };
}
