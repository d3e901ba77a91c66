import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import { FundingInstrument } from '../../../src/campaigns/funding-instruments/funding-instrument.entity.js';
import { FundingInstrumentView } from '../../../src/campaigns/funding-instruments/funding-instrument.presenter.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

const HOUR = 3_600_000;

describe('funding instruments', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/funding_instruments`,
    make: (account, n) =>
      given.fundingInstrument({
        account,
        type: 'PARTNER_MANAGED',
        funded_amount_local_micro: [20_000, null, 30_000, 10_000, null, 40_000, 20_000, 10_000, 30_000][n],
        start_time: `2026-0${[3, 1, 2, 3, 1, 2, 4, 1, 2][n]}-01T00:00:00Z`,
        end_time: [null, '2041-01-01', '2040-01-01', null, '2042-01-01', '2040-01-01', '2043-01-01', null, null][n],
      }),
    remove: ({ account }, id) => world().get(FundingInstrumentsService).delete(account, id),
    view: FundingInstrumentView,
    entity: FundingInstrument,
    idsFilter: 'funding_instrument_ids',
    sortable: ['created_at', 'updated_at', 'deleted', 'funded_amount_local_micro', 'start_time', 'end_time'],
  });

  it('are read singly', async () => {
    const { account, api } = await given.advertiser();
    const { id } = await given.fundingInstrument({
      account,
      type: 'CREDIT_LINE',
      credit_limit_local_micro: 7_000_000,
    });
    const path = `/12/accounts/${account.id}/funding_instruments/${id}`;
    const { status, body } = await api.get(path);
    expect(status).toBe(200);
    expect(body).toEqual({
      request: { params: { account_id: account.id, funding_instrument_id: id } },
      data: {
        id,
        account_id: account.id,
        type: 'CREDIT_LINE',
        description: '(no payment method has been set up yet)',
        currency: 'USD',
        start_time: '2026-01-01T00:00:00Z',
        end_time: null,
        credit_limit_local_micro: 7_000_000,
        funded_amount_local_micro: null,
        credit_remaining_local_micro: 7_000_000,
        able_to_fund: true,
        reasons_not_able_to_fund: [],
        io_header: null,
        entity_status: 'ACTIVE',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        deleted: false,
      },
    });
  });

  it('say why they cannot fund', async () => {
    const { account, api } = await given.advertiser();
    const { id } = await given.fundingInstrument({
      account,
      type: 'INSERTION_ORDER',
      start_time: new Date(world().clock.now().getTime() + HOUR).toISOString(),
      end_time: new Date(world().clock.now().getTime() + 2 * HOUR).toISOString(),
      funded_amount_local_micro: 10_000,
    });
    const path = `/12/accounts/${account.id}/funding_instruments/${id}`;
    const reasons = async () => {
      const { data } = (await api.get(path, { query: { with_deleted: true } })).body;
      expect(data.able_to_fund).toBe(data.reasons_not_able_to_fund.length === 0);
      return data.reasons_not_able_to_fund;
    };
    expect(await reasons()).toEqual(['STARTS_IN_FUTURE']);
    world().clock.advance(1.5 * HOUR);
    expect(await reasons()).toEqual([]);
    world().clock.advance(HOUR);
    expect(await reasons()).toEqual(['EXPIRED']);
    await world().sql(`UPDATE funding_instruments SET "spentLocalMicro" = 10000 WHERE id = $1`, id);
    expect(await reasons()).toEqual(['BUDGET_EXHAUSTED', 'EXPIRED']);
    await world().get(FundingInstrumentsService).delete(account, id);
    expect(await reasons()).toEqual(expect.arrayContaining(['DELETED']));
  });

  it('of other accounts, and deleted ones, are not found', async () => {
    const { account, api } = await given.advertiser();
    const stranger = await given.advertiser();
    const theirs = await given.fundingInstrument({ account: stranger.account });
    const gone = await given.fundingInstrument({ account });
    await world().get(FundingInstrumentsService).delete(account, gone.id);
    for (const id of [theirs.id, gone.id, '0zzzzzzzzzzzz']) {
      expect(await api.get(`/12/accounts/${account.id}/funding_instruments/${id}`)).toMatchObject({
        status: 404,
        body: {
          errors: [
            {
              code: 'NOT_FOUND',
              parameter: 'funding_instrument_id',
              message: `Funding Instrument ${id} was not found for Account ${account.id}`,
            },
          ],
        },
      });
    }
  });

  it('can neither be made nor deleted outside the sandbox', async () => {
    const { account, api } = await given.advertiser();
    const { id } = await given.fundingInstrument({ account });
    const path = `/12/accounts/${account.id}/funding_instruments`;
    for (const answer of [
      await api.post(path, { query: { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' } }),
      await api.delete(`${path}/${id}`),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { errors: [{ code: 'ROUTE_NOT_FOUND' }] } });
    }
  });
});
