import { sharingProblems } from '../../../src/audiences/audience-permissions/audience-permission.rules.js';

type Party = Parameters<typeof sharingProblems>[0];

const account = (id: string, businessId: string | null, environment: Party['environment'] = 'production'): Party => ({
  id,
  businessId,
  environment,
});
const told = (...asked: Parameters<typeof sharingProblems>) =>
  sharingProblems(...asked).map(({ status, code, detail }) => [status, code, detail.parameter]);

const REFUSED = [[400, 'INVALID_PARAMETER', 'granted_account_id']];
const OUTSIDE = [[400, 'FEATURE_NOT_AVAILABLE', 'granted_account_id']];

describe('sharing an audience', () => {
  const owner = account('owner', 'one');

  it('is for accounts of the same business', () => {
    expect(told(owner, 'other', account('other', 'one'), false)).toEqual([]);
    expect(told(owner, 'other', account('other', 'two'), false)).toEqual(OUTSIDE);
  });

  it('takes no business for a common one', () => {
    expect(told(account('owner', null), 'other', account('other', null), false)).toEqual(OUTSIDE);
    expect(told(owner, 'other', account('other', null), false)).toEqual(OUTSIDE);
  });

  it('goes beyond it with the feature', () => {
    expect(told(owner, 'other', account('other', 'two'), true)).toEqual([]);
    expect(told(account('owner', null), 'other', account('other', null), true)).toEqual([]);
  });

  it.each([true, false])('is never with oneself (feature: %s)', (feature) =>
    expect(told(owner, 'owner', owner, feature)).toEqual(REFUSED),
  );

  it('is never with nobody or the other environment, which without the feature are told as any stranger is', () => {
    for (const grantee of [undefined, account('other', 'one', 'sandbox'), account('other', 'two', 'sandbox')]) {
      expect(told(owner, 'other', grantee, true)).toEqual(REFUSED);
      expect(sharingProblems(owner, 'other', grantee, false)).toEqual(
        sharingProblems(owner, 'other', account('other', 'two'), false),
      );
    }
  });
});
