import 'reflect-metadata';
import fc from 'fast-check';
import {
  CreateCampaign,
  DeleteCampaignOperation,
  UpdateCampaignOperation,
} from '../../../src/campaigns/campaigns/campaigns.dto.js';
import { Batch } from '../../../src/common/batch/batch.js';
import { ApiError, OperationErrors } from '../../../src/common/errors/api-error.js';

const INPUTS = { Create: CreateCampaign, Update: UpdateCampaignOperation, Delete: DeleteCampaignOperation };
const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 2 }),
);
const NAMES = [
  'funding_instrument_id',
  'name',
  'entity_status',
  'standard_delivery',
  'total_budget_amount_local_micro',
  'id',
];
const params = fc.dictionary(fc.constantFrom(...NAMES), value);
const operation = fc.oneof(
  fc.record({ operation_type: fc.constantFrom('Create', 'Update', 'Delete', 'Zap', null), params }),
  fc.record({
    operation_type: fc.constant('Delete'),
    params: fc.record({ campaign_id: fc.stringMatching(/^[0-9a-z]{1,13}$/) }),
  }),
  fc.record({
    operation_type: fc.constant('Create'),
    params: fc.record({ funding_instrument_id: fc.constant('abc'), name: fc.stringMatching(/^[a-z]{1,9}$/) }),
  }),
  fc.jsonValue(),
);

describe('a batch', () => {
  it('answers every operation in its place, or names the faults of each in its place', () => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 40 }), (body) => {
        const batch = Batch.read(body, 40, INPUTS, { account_id: 'here' });
        let nth = 0;
        const seen: number[] = [];
        try {
          const result = batch.run({
            Create: () => seen.push(nth++),
            Update: () => seen.push(nth++),
            Delete: () => seen.push(nth++),
          });
          expect(result.items).toHaveLength(body.length);
          expect(result.items).toEqual(seen.map((_, i) => i + 1));
          expect(result.request).toHaveLength(body.length);
        } catch (error) {
          if (!(error instanceof OperationErrors)) throw error;
          expect(error.operations).toHaveLength(body.length);
          expect(error.request).toHaveLength(body.length);
          expect(error.operations.some((own) => own.length > 0)).toBe(true);
          expect(error.operations.flat().every((each) => each instanceof ApiError && each.status === 400)).toBe(true);
        }
      }),
    );
  });

  it('is refused as a whole when it is none', () => {
    for (const body of [undefined, null, {}, 'text', 7, [], Array(41).fill({})]) {
      expect(() => Batch.read(body, 40, INPUTS, {})).toThrow(ApiError);
    }
  });

  it('names each fault once, also when it runs again', () => {
    const batch = Batch.read([{ operation_type: 'Delete', params: {} }], 40, INPUTS, {});
    const faults = () => {
      try {
        batch.run({ Create: () => 1, Update: () => 2, Delete: ({ params }) => params });
      } catch (error) {
        if (error instanceof OperationErrors) return error.operations.map((own) => own.map(({ code }) => code));
      }
    };
    expect(faults()).toEqual([['MISSING_PARAMETER']]);
    expect(faults()).toEqual([['MISSING_PARAMETER']]);
  });

  it('lets a fault of ours through', () => {
    const batch = Batch.read([{ operation_type: 'Delete', params: { campaign_id: 'abc' } }], 40, INPUTS, {});
    const fail = () => {
      throw new TypeError('ours');
    };
    expect(() => batch.run({ Create: fail, Update: fail, Delete: fail })).toThrow(TypeError);
  });
});
